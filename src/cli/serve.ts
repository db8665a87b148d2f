import type { Command } from 'commander'
import { readConfig, unknownSettings } from '../config.ts'

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('serve the API and the pages; prints one line with the address when ready')
    .action(async () => {
      const config = readConfig()
      // Loaded on demand: other commands do not need the server.
      const { serve } = await import('../main.ts')
      await serve(config, unknownSettings())
    })
}
