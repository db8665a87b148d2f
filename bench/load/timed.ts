import type { Load } from './load.ts'
import { cpuOf } from '../process.ts'
import { percentiles } from '../row.ts'

export interface TimedOptions {
  /** Requests in flight. */
  at_once: number
  /** The server's processes, whose CPU time is measured. */
  pids: readonly number[]
}

/** Processes a list of requests that can be sent only once; `work` returns the number of bytes received. */
export async function timed<T>(
  list: readonly T[],
  { at_once, pids }: TimedOptions,
  work: (entry: T) => Promise<number>,
): Promise<Load> {
  const queue = [...list]
  const milliseconds: number[] = []
  let bytes = 0
  async function take(): Promise<void> {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      const start = performance.now()
      bytes += await work(entry)
      milliseconds.push(performance.now() - start)
    }
  }
  const before = cpuOf(pids)
  const began = performance.now()
  await Promise.all(Array.from({ length: at_once }, take))
  const seconds = (performance.now() - began) / 1000
  const after = cpuOf(pids)
  return {
    rate: list.length / seconds,
    mb: bytes / seconds / 1e6,
    ...percentiles(milliseconds),
    cpu_us: before === null || after === null ? null : (after - before) / list.length,
  }
}
