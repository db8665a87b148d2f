import { describe } from 'node:test'

/**
 * Runs a file of tests within a suite, where its hooks hold for its own tests alone. Many such files share one
 * process, since loading the server takes longer than most of them run.
 */
export async function section(name: string, load: () => Promise<unknown>): Promise<void> {
  // Awaited until the file is loaded: of two that load at the same time, one could register its tests in the other's suite.
  const { promise, resolve } = Promise.withResolvers<void>()
  describe(name, async () => {
    await load().finally(resolve)
  })
  await promise
}
