import { enableCompileCache } from 'node:module'

// Before the first module is loaded: a thread does not share the process's cache, and would take twice as long to start.
enableCompileCache()
await import('./thread.ts')
