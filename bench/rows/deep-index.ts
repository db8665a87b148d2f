import type { Rows } from '../bench.ts'
import { datetime, twoDays, withReader } from '../load/client.ts'
import { type Load, putUnderLoad, type Request } from '../load/load.ts'
import { atMost, loadText, median } from '../row.ts'

const orders = 20_000
const count = 100

/** The last page of a window, by one reader at a time; the database has to skip all entries before it. */
export const deepIndex: Rows = async function* (bench) {
  const data = await bench.data({ stores: 1, orders, days: 2 })
  const { times } = data
  const [opening = 0, closing = 0] = [times[0], times.at(-1)]
  yield await withReader(data, async ({ base, pids, peak }, headers) => {
    const page = (from: number, index: number): Request => {
      const window = { start_date: datetime(from), end_date: datetime(from + twoDays) }
      const query = new URLSearchParams({
        store_id: '1001',
        ...window,
        index: String(index),
        count: String(count),
      })
      return { path: `/integration/v1/orders?${query}`, headers }
    }
    // A window may begin this much before the first order and still hold nearly all of them.
    const margin = Math.max(0, Math.min(3600, twoDays - (closing - opening)))
    const windows = Array.from({ length: 500 }, () => {
      const from = opening - Math.floor(Math.random() * margin)
      const inside = times.filter(time => time >= from && time <= from + twoDays).length
      return { from, last: Math.floor(inside / count) - 1 }
    })
    const first = { base, pids, requests: windows.map(({ from }) => page(from, 0)) }
    const last = { base, pids, requests: windows.map(({ from, last }) => page(from, last)) }
    await putUnderLoad(last, 2 * bench.seconds, 1) // warm-up
    const rounds: { first: Load; last: Load }[] = []
    for (let round = 0; round < bench.rounds; round++) {
      rounds.push({
        first: await putUnderLoad(first, bench.seconds, 1),
        last: await putUnderLoad(last, bench.seconds, 1),
      })
    }
    const milliseconds = median(rounds.map(round => round.last.p50))
    const middle = rounds.find(round => round.last.p50 === milliseconds) as { first: Load; last: Load }
    return {
      id: 'deep-index',
      name: `last page (index ${windows[0]?.last}) of a two-day window of ${orders.toLocaleString('en')} orders`,
      aim: atMost(4),
      ratio: milliseconds,
      memory_mb: peak(),
      figure: `${loadText(middle.last)}, one request at a time`,
      limit: `4 ms; ${loadText(middle.first)} for the first page. The ratio is the p50 in ms`,
      measured: middle,
    }
  })
}
