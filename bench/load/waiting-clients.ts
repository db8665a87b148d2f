import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A request that is held: an address with `wait`, and the app that asks. */
export interface Held {
  base: string
  requests: readonly { path: string; authorization: string }[]
}

/** Clients in a separate process, each of which sends its request again when it is answered. */
export async function startWaiting(held: Held): Promise<{ stop(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL('./waiting-client.ts', import.meta.url)))
  child.send(held)
  const [problem] = (await once(child, 'message')) as [string | null]
  if (problem !== null) throw new Error(problem)
  return {
    async stop() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}
