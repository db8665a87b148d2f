import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench, Rows } from '../bench.ts'
import { type Data, usual } from '../data.ts'
import { type Served, withReader } from '../load/client.ts'
import { finished, tillgateClient } from '../process.ts'
import { median, perSecond } from '../row.ts'

/** `tillgate-client mirror` into an empty SQLite file, beside curl that only downloads the same pages. */
export const mirror: Rows = async function* (bench) {
  const data = await bench.data({ ...usual(bench.orders), days: 365 })
  yield await withReader(data, (server, headers) => besideCurl(bench, data, server, headers))
}

/** As `mirror` does by default. */
const [count, parallel] = [1000, 4]

async function besideCurl(bench: Bench, data: Data, { base }: Served, headers: { authorization: string }) {
  const pages = await pagesOf(base, data, headers)
  const config = join(bench.folder, 'curl.config')
  const lines = pages.map((url, i) => `url = "${url}"\noutput = "${join(bench.folder, `page-${i}.json`)}"`)
  const header = `header = "Authorization: ${headers.authorization}"`
  writeFileSync(
    config,
    [header, 'silent', 'fail', 'parallel', `parallel-max = ${parallel}`, ...lines].join('\n'),
  )
  const runs: Run[] = []
  const curls: number[] = []
  for (let round = 0; round <= 3; round++) {
    const run = await copy(base, data, join(bench.folder, `mirror-${round}.db`))
    const began = performance.now()
    await promisify(execFile)('curl', ['--config', config])
    if (round === 0) continue // warm-up
    runs.push(run)
    curls.push((performance.now() - began) / 1000)
  }
  const seconds = median(runs.map(run => run.seconds))
  const middle = runs.find(run => run.seconds === seconds) as Run
  const curl = median(curls)
  const requests = `${middle.requests} requests`
  return {
    id: 'mirror',
    name: `mirror of ${data.orders.toLocaleString('en')} orders in ${data.stores} stores, start of the process included`,
    ratio: median(runs.map((run, i) => run.seconds / (curls[i] as number))),
    aim: null,
    memory_mb: middle.memory,
    figure: `${perSecond(middle.orders / seconds, 'orders')}, ${seconds.toFixed(2)} s, ${requests}`,
    limit: `${perSecond(data.orders / curl, 'orders')}, ${curl.toFixed(2)} s, ${pages.length} requests by curl, ${parallel} at a time, into files; the ratio is of the times`,
    measured: { runs, curls },
  }
}

interface Run {
  seconds: number
  orders: number
  requests: number
  memory: number | null
}

async function copy(base: string, { reader, orders }: Data, file: string): Promise<Run> {
  const env = { TILLGATE_CLIENT_ID: reader.client_id, TILLGATE_CLIENT_SECRET: reader.client_secret }
  const began = performance.now()
  const running = tillgateClient(['mirror', '--url', base, '--to', file, '--json'], env)
  const result = JSON.parse(await finished(running)) as Run & { complete: boolean }
  const seconds = (performance.now() - began) / 1000
  if (!result.complete || result.orders !== orders) throw new Error(JSON.stringify(result))
  return { seconds, orders, requests: result.requests, memory: running.peak() }
}

/** The addresses that `mirror` asks for. */
async function pagesOf(base: string, { store_ids }: Data, headers: { authorization: string }) {
  const pages: string[] = []
  for (const store_id of store_ids) {
    for (let [next, feed, more] = [0, '', true]; more; ) {
      const position = next === 0 ? '' : `&after=${next}&feed=${feed}`
      const url = `${base}/integration/v1/changes?store_id=${store_id}&kinds=order,item&count=${count}${position}`
      pages.push(url)
      const { data } = (await (await fetch(url, { headers })).json()) as {
        data: { next: number; feed: string; more: boolean }
      }
      ;({ next, feed, more } = data)
    }
  }
  return pages
}
