import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rows } from '../bench.ts'
import { orderRequests, tokenFor, withServer } from '../load/client.ts'
import { usual } from '../data.ts'
import { installed, startServer } from '../process.ts'
import { atMost, median } from '../row.ts'
import { freePort } from '../../test/helpers/ports.ts'

const root = join(import.meta.dirname, '../..')

/** Half a second on a machine on which the first version of Tillgate took 0.9 s: 5.8 times the time of a bare server. */
const aim = atMost(3.2)

/** From the start of the process to its first page of orders, beside a bare server to its first response. */
export const start: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.quick ? bench.orders : 1_000_000))
  const port = await freePort()
  // A fixed issuer, so that a token of one process is valid at the next.
  const env = { ...data.env, PORT: String(port), TILLGATE_BASE_URL: `http://127.0.0.1:${port}` }
  const token = await withServer(env, ({ base }) => tokenFor(base, data.reader))
  const [request] = orderRequests(data, 100, { authorization: `Bearer ${token}` })
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-bench-start-'))
  try {
    buildPackage(folder)
    const kinds = [
      { id: 'start', name: 'from the source', folder: root },
      { id: 'start-package', name: 'of the npm package', folder },
    ].map(kind => ({ ...kind, times: [] as number[], memory_mb: null as number | null }))
    const bare: number[] = []
    // The first round fills Node's compile cache.
    for (let round = 0; round < 6; round++) {
      bare.push(await bareStart())
      for (const kind of kinds) {
        const began = performance.now()
        const server = installed(kind.folder, ['serve'], env)
        await firstAnswer(`${env.TILLGATE_BASE_URL}${request?.path}`, request?.headers ?? {})
        kind.times.push((performance.now() - began) / 1000)
        kind.memory_mb = server.peak()
        server.child.kill('SIGTERM')
        await once(server.child, 'exit')
      }
    }
    const reference = median(bare.slice(1))
    for (const { id, name, times, memory_mb } of kinds) {
      const seconds = median(times.slice(1))
      yield {
        id,
        name: `start ${name} to the first 200, ${data.orders.toLocaleString('en')} orders`,
        ratio: seconds / reference,
        aim,
        memory_mb,
        figure: `${seconds.toFixed(2)} s, the median of ${times.length - 1}`,
        limit: `${reference.toFixed(3)} s by bare node:http; the database may be in the system’s cache`,
        measured: { times, bare },
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What `npm pack` would put into a package, beside the libraries of this folder. */
function buildPackage(folder: string): void {
  execFileSync(process.execPath, [join(root, 'scripts/build-package.ts'), join(folder, 'dist')], {
    cwd: root,
  })
  mkdirSync(join(folder, 'bin'))
  for (const file of ['package.json', 'bin/tillgate.js']) copyFileSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

async function bareStart(): Promise<number> {
  const began = performance.now()
  const server = await startServer('bare/http.ts')
  await firstAnswer(server.base, {})
  const seconds = (performance.now() - began) / 1000
  server.stop()
  return seconds
}

async function firstAnswer(url: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(url, { headers })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`the first answer was ${response.status}`)
      return
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(5)
    }
  }
}
