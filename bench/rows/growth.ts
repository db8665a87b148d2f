import type { Rows } from '../bench.ts'
import { orderRequests, withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import { usual } from '../data.ts'
import { atLeast, loadText } from '../row.ts'

/** A page of 100 in databases of growing size, compared with the smallest. */
export const growth: Rows = async function* (bench) {
  const smallest = bench.quick ? 20_000 : 100_000
  const larger = bench.quick ? [100_000] : bench.full ? [1_000_000, 5_000_000] : [1_000_000]
  const small = await bench.data(usual(smallest))
  for (const orders of larger) {
    const large = await bench.data(usual(orders))
    yield await withReader(small, (one, headers) =>
      withReader(large, async (other, largeHeaders) => {
        const { ours, limit, ratio } = await compare(
          { base: other.base, pids: other.pids, requests: orderRequests(large, 100, largeHeaders) },
          { base: one.base, pids: one.pids, requests: orderRequests(small, 100, headers) },
          bench,
        )
        const last = orders === larger.at(-1)
        return {
          id: `growth-${orders}`,
          name: `orders page of 100 among ${orders.toLocaleString('en')} orders`,
          ratio,
          aim: last ? atLeast(0.9) : null,
          memory_mb: other.peak(),
          figure: loadText(ours),
          limit: `${loadText(limit)} among ${smallest.toLocaleString('en')}`,
          measured: { orders, smallest, ours, limit },
        }
      }),
    )
  }
}
