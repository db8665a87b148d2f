import { type Load, putUnderLoad, type Target } from '../load/load.ts'
import { median } from '../row.ts'

/** Two targets under the same load. */
export interface Comparison {
  ours: Load
  limit: Load
  /** Our requests a second as a part of the limit's. */
  ratio: number
  /** The same by the CPU time of a request: what a busy machine blurs less. */
  cpu_ratio: number | null
}

/**
 * In turns, so that what else the machine does meets both; and the ratio of each turn by itself, so that what it did
 * only for a while counts for as little as possible.
 */
export async function compare(
  ours: Target,
  limit: Target,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Comparison> {
  await warmUp(limit, 6 * seconds)
  await warmUp(ours, 6 * seconds)
  const turns: { ours: Load; limit: Load }[] = []
  for (let round = 0; round < rounds; round++) {
    turns.push({ limit: await putUnderLoad(limit, seconds), ours: await putUnderLoad(ours, seconds) })
  }
  const cpu = turns.map(turn => (turn.limit.cpu_us ?? Number.NaN) / (turn.ours.cpu_us ?? Number.NaN))
  return {
    ours: middle(turns.map(turn => turn.ours)),
    limit: middle(turns.map(turn => turn.limit)),
    ratio: median(turns.map(turn => turn.ours.rate / turn.limit.rate)),
    cpu_ratio: cpu.some(Number.isNaN) ? null : median(cpu),
  }
}

/** The turn whose rate was the middle one. */
function middle(loads: readonly Load[]): Load {
  const rate = median(loads.map(load => load.rate))
  return loads.find(load => load.rate === rate) as Load
}

/** Compilers and caches are warm when a request has not become cheaper for three seconds; some code needs twenty. */
async function warmUp(target: Target, most: number): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let second = 0, settled = 0; second < most && settled < 3; second++) {
    const { cpu_us, rate } = await putUnderLoad(target, 1)
    const cost = cpu_us ?? 1e6 / rate
    settled = cost < 0.98 * best ? 0 : settled + 1
    best = Math.min(best, cost)
  }
}
