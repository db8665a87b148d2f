import { availableParallelism } from 'node:os'
import type { Rows } from '../bench.ts'
import { orderRequests, withReader } from '../load/client.ts'
import { compare } from '../report/compare.ts'
import { usual } from '../data.ts'
import { atLeast, loadText } from '../row.ts'

/** Two server processes on one port beside one. */
export const workers: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  yield await withReader(data, (one, headers) =>
    withReader(
      data,
      async (two, twoHeaders) => {
        const { ours, limit, ratio } = await compare(
          { base: two.base, pids: two.pids, requests: orderRequests(data, 100, twoHeaders) },
          { base: one.base, pids: one.pids, requests: orderRequests(data, 100, headers) },
          bench,
        )
        const cores = availableParallelism()
        const used = ((ours.cpu_us ?? 0) * ours.rate) / 1e6
        const usedByOne = ((limit.cpu_us ?? 0) * limit.rate) / 1e6
        return {
          id: 'workers',
          name: 'orders page of 100, TILLGATE_WORKERS=2',
          aim: atLeast(1.6),
          ratio,
          memory_mb: two.peak(),
          figure: `${loadText(ours)}, ${used.toFixed(2)} cores`,
          limit: `${loadText(limit)}, ${usedByOne.toFixed(2)} cores, by one process`,
          note: `${cores} cores in all, which the load generator shares: it needs one of its own for the aim`,
          measured: { cores, used, usedByOne, ours, limit },
        }
      },
      { TILLGATE_WORKERS: '2' },
    ),
  )
}
