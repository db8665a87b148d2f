import { setTimeout as sleep } from 'node:timers/promises'
import type { Rows } from '../bench.ts'
import { orderRequests, withReader } from '../load/client.ts'
import { usual } from '../data.ts'
import { paced } from '../load/paced.ts'
import { atMost } from '../row.ts'
import { startSlowReaders } from '../load/slow-readers.ts'

const readers = 200
/** Each reader takes a minute for a page of 2000 orders. */
const bytesPerSecond = 64_000
const peakAim = 250

/** Many large pages in flight: the server must not buffer them, and other clients must not notice. */
export const slowReaders: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  yield* await withReader(data, async ({ base, peak }, headers) => {
    const others = {
      base,
      requests: orderRequests(data, 10, headers),
      rate: 100,
      seconds: bench.quick ? 5 : 10,
    }
    await paced({ ...others, seconds: 2 })
    const alone = await paced(others)
    const slow = await startSlowReaders(
      base,
      orderRequests(data, 2000, headers).slice(0, readers),
      bytesPerSecond,
    )
    // The readers first drain the socket buffers; only then are they slow.
    await sleep(5000)
    const among = await paced(others)
    const cut = slow.cut()
    await slow.stop()
    if (cut > 0) throw new Error(`${cut} slow readers lost their connection`)
    const memory_mb = peak()
    const time = ({ p50, p99 }: typeof alone) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`
    return [
      {
        id: 'slow-readers',
        name: `memory with ${readers} slow readers of 2000-order pages at once`,
        ratio: (memory_mb ?? 0) / peakAim,
        aim: atMost(1),
        memory_mb,
        figure: `${memory_mb} MB at most`,
        limit: `${peakAim} MB`,
      },
      {
        id: 'slow-readers-others',
        name: 'small pages of others meanwhile',
        aim: atMost(3),
        memory_mb: null,
        ratio: among.p99 / alone.p99,
        figure: time(among),
        limit: `${time(alone)} without the slow readers; the ratio is of the p99`,
        measured: { among, alone },
      },
    ]
  })
}
