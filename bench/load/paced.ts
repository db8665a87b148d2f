import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Request } from './load.ts'

export interface Pace {
  base: string
  requests: readonly Request[]
  /** Requests a second. */
  rate: number
  seconds: number
}

/** Milliseconds. */
export interface Paced {
  p50: number
  p99: number
  most: number
  failed: number
  sent: number
}

/** Requests at an even pace, from a separate process. */
export async function paced(pace: Pace): Promise<Paced> {
  const child = fork(fileURLToPath(new URL('./paced-client.ts', import.meta.url)))
  child.send(pace)
  const [result] = (await once(child, 'message')) as [Paced]
  return result
}
