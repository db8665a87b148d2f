import { type Load, putUnderLoad, type Target } from '../load/load.ts'
import { median } from '../row.ts'

/** Two targets under the same load. */
export interface Comparison {
  ours: Load
  limit: Load
  /** Tillgate's requests a second divided by the reference's. */
  ratio: number
  /** The same by CPU time per request, which is less sensitive to a busy machine. */
  cpu_ratio: number | null
}

/** Alternates the two targets and computes a ratio for each round, so that other activity on the machine affects both. */
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

/** The round with the median rate. */
function middle(loads: readonly Load[]): Load {
  const rate = median(loads.map(load => load.rate))
  return loads.find(load => load.rate === rate) as Load
}

/** Warm-up ends when a request has not become cheaper for three seconds; some code needs twenty. */
async function warmUp(target: Target, most: number): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let second = 0, settled = 0; second < most && settled < 3; second++) {
    const { cpu_us, rate } = await putUnderLoad(target, 1)
    const cost = cpu_us ?? 1e6 / rate
    settled = cost < 0.98 * best ? 0 : settled + 1
    best = Math.min(best, cost)
  }
}
