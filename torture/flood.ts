import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Flood, FloodOrder } from './flood-process.ts'

export async function flood(order: FloodOrder): Promise<Flood> {
  const child = fork(fileURLToPath(new URL('./flood-process.ts', import.meta.url)))
  child.send(order)
  const [result] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the load generator exited with ${code}`))),
  ])) as [Flood]
  return result
}
