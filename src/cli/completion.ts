import { Argument, type Command } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description(
      'print a script that completes commands and options in a shell; its first lines say how to load it',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action(async (shell: (typeof shells)[number]) => {
      const { completionScript } = await import('./completion/script.ts')
      process.stdout.write(completionScript(shell, program))
    })
}
