import type { Bench, Rows } from '../bench.ts'
import { orderRequests, withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import { usual } from '../data.ts'
import type { Request } from '../load/load.ts'
import { startServer } from '../process.ts'
import { atLeast, loadText } from '../row.ts'

/** A poll that is answered 304, compared with a bare server that always answers 304. */
export const notModified: Rows = async function* (bench: Bench) {
  const data = await bench.data(usual(bench.orders))
  yield await withReader(data, async ({ base, pids, peak }, headers) => {
    const requests = await withTags(base, orderRequests(data, 100, headers).slice(0, 500))
    const bare = await startServer('./bare/http.ts', ['0', '304'])
    try {
      const { ours, limit, ratio, cpu_ratio } = await compare(
        { base, requests, pids },
        { base: bare.base, requests, pids: [bare.pid] },
        bench,
      )
      return {
        id: 'not-modified',
        name: 'orders page of 100, unchanged, If-None-Match: 304',
        aim: atLeast(0.7),
        ratio,
        memory_mb: peak(),
        figure: loadText(ours),
        limit: `${loadText(limit)} by a bare node:http 304`,
        measured: { ours, limit, cpu_ratio },
      }
    } finally {
      bare.stop()
    }
  })
}

/** The same requests with If-None-Match. */
export async function withTags(base: string, requests: readonly Request[]): Promise<Request[]> {
  const tagged: Request[] = []
  for (const { path, headers = {} } of requests) {
    const first = await fetch(base + path, { headers })
    await first.arrayBuffer()
    tagged.push({ path, headers: { ...headers, 'if-none-match': first.headers.get('etag') ?? '' } })
  }
  const [one] = tagged
  const again = await fetch(base + one?.path, { headers: one?.headers ?? {} })
  if (again.status !== 304) throw new Error(`an unchanged page was answered with ${again.status}`)
  return tagged
}
