import { Command, CommanderError, type HelpContext } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { registerAccount } from './cli/account.ts'
import { registerApp } from './cli/app.ts'
import { registerAudit } from './cli/audit.ts'
import { registerBackup } from './cli/backup.ts'
import { registerCopy } from './cli/copy.ts'
import { registerDemo } from './cli/demo.ts'
import { registerDoctor } from './cli/doctor.ts'
import { registerImport } from './cli/import.ts'
import { registerKeys } from './cli/keys.ts'
import { registerMigrate } from './cli/migrate.ts'
import { oneLine, printError } from './cli/shared/command.ts'
import { registerServe } from './cli/serve.ts'

// A script can distinguish a command that it wrote wrong from one that failed.
const usageError = 2
const failed = 1

/** Runs one command line. Results go to stdout, everything else to stderr; an error is one line, never a stack trace. */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', tolerateClosedPipe)
  try {
    await createProgram().parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed it; help and version arrive here too, with 0.
      process.exitCode = error.exitCode === 0 ? 0 : usageError
      return
    }
    printError(error)
    process.exitCode = failed
  }
}

/** The reader of the output may close the pipe early, as `head` does. */
function tolerateClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function createProgram(): Command {
  const program = new OneLineCommand('tillgate')
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`tillgate: ${oneLine(text.replace(/^error: /, ''))}\n`),
    })
  registerServe(program)
  registerDemo(program)
  registerImport(program)
  registerAccount(program)
  registerApp(program)
  registerAudit(program)
  registerKeys(program)
  registerMigrate(program)
  registerBackup(program)
  registerCopy(program)
  registerDoctor(program)
  return program
}

/** commander answers a missing command with the whole help, which hides the error; this class prints one line. */
class OneLineCommand extends Command {
  override createCommand(name?: string): Command {
    return new OneLineCommand(name)
  }

  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context === 'object' && context.error) {
      const names = this.commands.map(command => command.name()).join(', ')
      this.error(`error: missing command: one of ${names}`)
    }
    return super.help(context as HelpContext)
  }
}
