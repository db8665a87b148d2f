import type { Command } from 'commander'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { allCommands } from './tree.ts'
import { zshScript } from './zsh.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** Made from the commands themselves, so that it has all of them. Loaded once by the shell: Node takes too long for a key. */
export const completionScript = (shell: keyof typeof scripts, program: Command): string =>
  scripts[shell](allCommands(program))
