import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Rows } from '../bench.ts'
import { orderRequests, withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import { usual } from '../data.ts'
import { startServer } from '../process.ts'
import { atLeast, atMost, loadText } from '../row.ts'

/** Compressed pages beside @fastify/compress with its defaults, which sends one of these pages from memory. */
export const compression: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  for (const coding of ['gzip', 'zstd', 'br']) {
    yield* await withReader(data, async ({ base, pids, peak }, authorization) => {
      const headers = { ...authorization, 'accept-encoding': coding }
      const requests = orderRequests(data, 100, headers)
      const [one] = requests as [(typeof requests)[number]]
      const file = join(bench.folder, 'page.json')
      writeFileSync(file, await bytesOf(base + one.path, { ...authorization, 'accept-encoding': 'identity' }))
      const usualWay = await startServer('./bare/compress.ts', [file])
      try {
        const mine = (await bytesOf(base + one.path, headers)).length
        const theirs = (await bytesOf(usualWay.base, headers)).length
        const { ours, limit, ratio } = await compare(
          { base, requests, pids },
          { base: usualWay.base, requests, pids: [usualWay.pid] },
          bench,
        )
        const name = `orders page of 100 as ${coding}`
        return [
          {
            id: `compressed-${coding}`,
            name,
            ratio,
            aim: atLeast(2.5),
            memory_mb: peak(),
            figure: loadText(ours),
            limit: `${loadText(limit)} by @fastify/compress with its defaults, from memory`,
            measured: { ours, limit },
          },
          {
            id: `compressed-size-${coding}`,
            name: `its size`,
            aim: atMost(1.3),
            ratio: mine / theirs,
            memory_mb: null,
            figure: `${mine.toLocaleString('en')} bytes`,
            limit: `${theirs.toLocaleString('en')} bytes of the same page by @fastify/compress`,
          },
        ]
      } finally {
        usualWay.stop()
      }
    })
  }
}

/** The body as sent: fetch would decompress it. */
const bytesOf = (url: string, headers: Record<string, string>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, response => buffer(response).then(resolve, reject)).on('error', reject)
  })
