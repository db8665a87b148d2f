import { Command, CommanderError, type HelpContext } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { registerAccount } from './cli/account.ts'
import { registerApp } from './cli/app.ts'
import { registerAudit } from './cli/audit.ts'
import { registerBackup } from './cli/backup.ts'
import { registerCompletion } from './cli/completion.ts'
import { registerCopy } from './cli/copy.ts'
import { registerDemo } from './cli/demo.ts'
import { registerDoctor } from './cli/doctor.ts'
import { registerFeed } from './cli/feed.ts'
import { registerImport } from './cli/import.ts'
import { registerKeys } from './cli/keys.ts'
import { registerMigrate } from './cli/migrate.ts'
import { registerRestore } from './cli/restore.ts'
import { registerServe } from './cli/serve.ts'
import { registerStore } from './cli/store.ts'
import { registerWebhook } from './cli/webhook.ts'
import { exitCodes, Interrupted, printError, printUsageError, wantsJson } from './cli/shared/errors.ts'
import { isClosedPipe, note } from './cli/shared/output.ts'
import { unknownSettings } from './config.ts'

/** Runs one command line. Results go to stdout, everything else to stderr; an error is one line, never a stack trace. */
export async function main(argv: string[]): Promise<void> {
  let outputError: unknown = null
  process.stdout.on('error', error => {
    // The reader of the output may close the pipe early, as `head` does.
    if (isClosedPipe(error) || outputError !== null) return
    outputError = error
    fail(error, argv)
  })
  // Nobody reads the messages any more.
  process.stderr.on('error', () => {})
  try {
    await createProgram(argv).parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has printed it; help and version arrive here too, with 0.
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
      return
    }
    if (error !== outputError) fail(error, argv)
  }
}

function fail(error: unknown, argv: readonly string[]): void {
  printError(error, argv)
  process.exitCode = error instanceof Interrupted ? exitCodes.interrupted : exitCodes.failed
}

function createProgram(argv: readonly string[]): Command {
  const program = new OneLineCommand('tillgate')
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ outputError: text => printUsageError(text, argv) })
    .hook('preAction', (_program, command) => warnOfSettings(command.name(), argv))
  registerServe(program)
  registerDemo(program)
  registerImport(program)
  registerAccount(program)
  registerApp(program)
  registerStore(program)
  registerAudit(program)
  registerKeys(program)
  registerFeed(program)
  registerWebhook(program)
  registerMigrate(program)
  registerBackup(program)
  registerRestore(program)
  registerCopy(program)
  registerDoctor(program)
  registerCompletion(program)
  return program
}

/** A misspelt setting would silently have no effect. */
function warnOfSettings(command: string, argv: readonly string[]): void {
  // The server logs them, once for all of its processes; doctor has a check for them.
  if (['serve', 'doctor', 'completion'].includes(command)) return
  for (const text of unknownSettings())
    note(wantsJson(argv) ? JSON.stringify({ warning: { message: text } }) : `tillgate: warning: ${text}`)
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
