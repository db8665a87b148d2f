import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tokenFor, withServer } from './client.ts'
import { type Load, putUnderLoad } from './load.ts'
import { finished, tillgate } from './process.ts'
import { days, stores } from './records.ts'
import type { Bench, Row } from './run.ts'

const rounds = 3

/** How fast pages go out, beside a bare node:http server that sends as many bytes from memory. */
export async function* pageRows({ engine, records, seconds }: Bench): AsyncGenerator<Row> {
  const env = { TILLGATE_DATABASE: await engine.empty('pages'), PORT: '0' }
  await finished(tillgate(['import', records.file, '--json'], env))
  const client = JSON.parse(await finished(tillgate(['app', 'create', '--name', 'Reader', '--json'], env)))
  const ids = Array.from({ length: stores }, (_, i) => String(1001 + i))
  await finished(tillgate(['app', 'authorize', client.client_id, '--json', '--store', ...ids], env))
  yield await withServer(env, async (base, server) => {
    const headers = { authorization: `Bearer ${await tokenFor(base, client)}` }
    const paths = orderPaths(records.end)
    const sizes = await Promise.all(paths.slice(0, 50).map(path => sizeOf(base + path, headers)))
    const size = Math.round(sizes.reduce((a, b) => a + b, 0) / sizes.length)
    const bare = await startBare(size)
    const ours: Load[] = []
    const limit: Load[] = []
    // In turns, so that what else the machine does meets both.
    for (let round = 0; round < rounds; round++) {
      limit.push(await putUnderLoad(bare.base, ['/'], {}, seconds))
      ours.push(await putUnderLoad(base, paths, headers, seconds))
    }
    bare.stop()
    return row(
      `orders page of 100 (${Math.round(size / 1024)} KB), random store and window`,
      ours,
      limit,
      server.peak(),
    )
  })
}

/** Windows of two days, at random moments of random stores, so that no two requests are of one page. */
function orderPaths(end: number): string[] {
  const text = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
  return Array.from({ length: 2000 }, () => {
    const start = end - Math.floor((2 + Math.random() * (days - 4)) * 86_400)
    const query = new URLSearchParams({
      store_id: String(1001 + Math.floor(Math.random() * stores)),
      start_date: text(start),
      end_date: text(start + 172_800),
    })
    return `/integration/v1/orders?${query}`
  })
}

async function sizeOf(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.arrayBuffer()).byteLength
}

async function startBare(size: number): Promise<{ base: string; stop(): void }> {
  const child = fork(fileURLToPath(new URL('./bare-http.ts', import.meta.url)), [String(size)])
  const [port] = (await once(child, 'message')) as [number]
  return { base: `http://127.0.0.1:${port}`, stop: () => void child.kill() }
}

function row(name: string, ours: Load[], limit: Load[], memory_mb: number | null): Row {
  const best = (loads: Load[]) => loads.reduce((a, b) => (a.rate > b.rate ? a : b))
  const [mine, bare] = [best(ours), best(limit)]
  const figure = ({ rate, p50, p99, mb }: Load) =>
    `${Math.round(rate).toLocaleString('en')} requests/s, p50 ${p50} ms, p99 ${p99} ms, ${Math.round(mb)} MB/s`
  return {
    ...{ name, memory_mb, aim: 0.5, ratio: mine.rate / bare.rate },
    figure: figure(mine),
    limit: `${figure(bare)} by bare node:http`,
  }
}
