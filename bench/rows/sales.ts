import type { Bench, Rows } from '../bench.ts'
import { datetime, withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import type { Request } from '../load/load.ts'
import { atMost, loadText } from '../row.ts'

const day = 86_400

/** Sums over a month and a year compared with a day, in one store with many lines. */
export const sales: Rows = async function* (bench: Bench) {
  // About three lines an order.
  const data = await bench.data({ stores: 1, orders: bench.quick ? 35_000 : 350_000, days: 365 })
  for (const [days, aim] of [
    [30, null],
    [365, atMost(5)],
  ] as const) {
    yield await withReader(data, async ({ base, pids, peak }, headers) => {
      // At random seconds, so that the days at both ends are partial.
      const windows = (length: number): Request[] =>
        Array.from({ length: 500 }, () => {
          const start =
            data.end - 365 * day + Math.floor(Math.random() * Math.max(3600, (365 - length) * day))
          const query = new URLSearchParams({
            store_id: '1001',
            start_date: datetime(start),
            end_date: datetime(start + length * day),
            count: '1000',
          })
          return { path: `/integration/v1/inventory/sales?${query}`, headers }
        })
      const { ours, limit, ratio } = await compare(
        { base, requests: windows(days), pids },
        { base, requests: windows(1), pids },
        bench,
      )
      return {
        id: `sales-${days}`,
        name: `sales over ${days} days in a store of ${data.lines.toLocaleString('en')} lines`,
        aim,
        ratio: 1 / ratio,
        memory_mb: peak(),
        figure: loadText(ours),
        limit: `${loadText(limit)} for one day; the ratio is of the costs`,
        measured: { lines: data.lines, ours, day: limit },
      }
    })
  }
}
