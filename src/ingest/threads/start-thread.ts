import { enableCompileCache } from 'node:module'
import { getPriority, setPriority } from 'node:os'

// Before the first module is loaded: a thread does not share the process's cache, and would take twice as long to start.
enableCompileCache()
giveWay()
await import('./thread.ts')

/** Where cores are scarce, readers come first. On Linux alone this is about the thread and not the whole process. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(19, getPriority() + 5))
  } catch {
    // A sandbox may forbid it; it works as well without.
  }
}
