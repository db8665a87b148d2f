import { enableCompileCache } from 'node:module'
import { getPriority, setPriority } from 'node:os'

// Before any other module: a thread does not share the process's compile cache and would take twice as long to start.
enableCompileCache()
lowerPriority()
await import('./thread.ts')

/** Requests come before ingest when cores are scarce. Only Linux sets the priority of one thread. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(19, getPriority() + 5))
  } catch {
    // A sandbox may forbid it; the thread works without.
  }
}
