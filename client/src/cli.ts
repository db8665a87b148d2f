import { type Command, type Context, helpOf, readOptions, UsageError } from './commands/command.ts'
import { conform } from './commands/conform.ts'
import { listen } from './commands/listen.ts'
import { mirror } from './commands/mirror.ts'
import { verify } from './commands/verify.ts'
import { isTillgateError } from './errors.ts'

const commands: readonly Command[] = [mirror, verify, conform, listen]

const usage = `Usage: tillgate-client COMMAND [options]

${commands.map(({ name, summary }) => `  ${name.padEnd(9)}${summary}`).join('\n')}

Each command has --help. Credentials: TILLGATE_CLIENT_ID and TILLGATE_CLIENT_SECRET.
`

/** Runs the command line of this process. */
export async function main(args: readonly string[]): Promise<void> {
  const { stdout, stderr, env } = process
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new Error('stopped'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  // The reader of the output may close the pipe early, as `head` does.
  stdout.on('error', () => {})
  process.exitCode = await run(args, { signal: interrupt.signal, env, stdout, stderr })
  process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop)
}

/** Runs one command and returns its exit code. Results go to stdout, everything else to stderr; an error is one line. */
export async function run(args: readonly string[], context: Context): Promise<number> {
  const [name, ...rest] = args
  const { signal, stdout, stderr } = context
  try {
    const command = commands.find(each => each.name === name)
    const isHelp = name === '--help' || name === '-h' || name === 'help'
    if (!command && !isHelp) {
      const problem = name === undefined ? 'missing command' : `unknown command ${name}`
      throw new UsageError(`${problem}: one of ${commands.map(each => each.name).join(', ')}`)
    }
    const options = command ? readOptions(command, rest) : { help: true }
    if (!options['help']) return await (command as Command).run(options, context)
    stdout.write(command ? helpOf(command) : usage)
    return 0
  } catch (error) {
    const id = isTillgateError(error) && error.requestId ? ` (request ${error.requestId})` : ''
    stderr.write(`tillgate-client: ${error instanceof Error ? error.message : String(error)}${id}\n`)
    if (error instanceof UsageError) return 2
    return signal.aborted ? 130 : 1
  }
}
