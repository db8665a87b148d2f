import type { Rows } from '../bench.ts'
import { datetime, twoDays, withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import type { Request } from '../load/load.ts'
import { atMost, loadText } from '../row.ts'

const orders = 20_000
const count = 100

/** The last page of a window beside its first: how much it costs to skip all that lies between. */
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
    // As far back as the window still holds nearly all of them.
    const room = Math.max(0, Math.min(3600, twoDays - (closing - opening)))
    const windows = Array.from({ length: 500 }, () => {
      const from = opening - Math.floor(Math.random() * room)
      const inside = times.filter(time => time >= from && time <= from + twoDays).length
      return { from, last: Math.floor(inside / count) - 1 }
    })
    const first = windows.map(({ from }) => page(from, 0))
    const last = windows.map(({ from, last }) => page(from, last))
    const { ours, limit, ratio } = await compare(
      { base, requests: last, pids },
      { base, requests: first, pids },
      bench,
    )
    return {
      id: 'deep-index',
      name: `last page (index ${windows[0]?.last}) of a two-day window of ${orders.toLocaleString('en')} orders`,
      aim: atMost(1.5),
      ratio: 1 / ratio,
      memory_mb: peak(),
      figure: loadText(ours),
      limit: `${loadText(limit)} for the first page; the ratio is of the costs`,
      measured: { last: ours, first: limit },
    }
  })
}
