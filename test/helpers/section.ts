import { describe } from 'node:test'

/**
 * Runs a file of tests within a suite, where its hooks hold for its own tests alone. Many such files share one
 * process, since loading the server takes longer than most of them run.
 */
export function section(name: string, load: () => Promise<unknown>): void {
  describe(name, async () => {
    await load()
  })
}
