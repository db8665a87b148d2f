import type { Rows } from '../bench.ts'
import { withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import { usual } from '../data.ts'
import type { Request } from '../load/load.ts'
import { startServer } from '../process.ts'
import { atLeast, loadText } from '../row.ts'

const headers = { 'content-type': 'application/x-www-form-urlencoded' }

/** Tokens of the client_credentials grant compared with a bare oidc-provider that stores nothing on disk. */
export const clientCredentials: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  yield await withReader(data, async ({ base, pids, peak }) => {
    const bare = await startServer('./bare/oidc.ts')
    const asking = (path: string, fields: Record<string, string>): Request[] => [
      {
        method: 'POST',
        path,
        headers,
        body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString(),
      },
    ]
    const { client_id, client_secret } = data.reader
    const mine = asking('/auth/v2/token', { client_id, client_secret, scope: 'integration.order' })
    const theirs = asking('/token', {
      client_id: 'reader',
      client_secret: 'secret-of-the-reader',
      scope: 'integration.order',
    })
    try {
      const { ours, limit, ratio, cpu_ratio } = await compare(
        { base, requests: mine, pids },
        { base: bare.base, requests: theirs, pids: [bare.pid] },
        bench,
      )
      return {
        id: 'token',
        name: 'token, client_credentials, durable',
        aim: atLeast(0.9),
        ratio,
        memory_mb: peak(),
        figure: loadText(ours),
        limit: `${loadText(limit)} by bare oidc-provider with its in-memory adapter`,
        measured: { ours, limit, cpu_ratio },
      }
    } finally {
      bare.stop()
    }
  })
}
