import { ConfigError } from '../../config.ts'
import { InputError } from '../../domain/input-error.ts'
import { printable } from '../../lib/printable.ts'
import { StorageUnavailable } from '../../storage/port/unavailable.ts'
import { note } from './output.ts'

/** A script can distinguish a command that it wrote wrong from one that failed. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  /** What shells give to a command that Ctrl-C ended: 128 + SIGINT. */
  interrupted: 130,
}

/** Ctrl-C at a prompt. */
export class Interrupted extends Error {
  override name = 'Interrupted'
}

/** An error with findings of its own, each a line. */
export class DetailedError extends Error {
  readonly details: readonly string[]
  constructor(message: string, details: readonly string[]) {
    super(message)
    this.details = details
  }
}

/** As `--json` prints it on stderr: `{"error":{…}}`. docs/operations.md lists the codes. */
interface PrintedError {
  code: 'usage' | 'config' | 'input' | 'unavailable' | 'interrupted' | 'failed'
  message: string
  details?: readonly string[]
}

export function printError(error: unknown, argv: readonly string[]): void {
  const details = error instanceof DetailedError ? error.details : []
  const message = error instanceof Error ? messageOf(error) : String(error)
  show({ code: codeOf(error), message, ...(details.length > 0 && { details }) }, argv)
}

export const printUsageError = (message: string, argv: readonly string[]): void =>
  show({ code: 'usage', message: message.replace(/^error: /, '') }, argv)

function show({ code, message, details = [] }: PrintedError, argv: readonly string[]): void {
  const line = (text: string) => oneLine(withoutSecrets(text, argv))
  if (!wantsJson(argv)) {
    for (const detail of details) note(line(detail))
    note(`tillgate: ${line(message)}`)
    return
  }
  const more = details.length > 0 ? { details: details.map(line) } : {}
  note(JSON.stringify({ error: { code, message: line(message), ...more } }))
}

/** Also where the arguments could not be read: an error about them is JSON too. */
export const wantsJson = (argv: readonly string[]): boolean =>
  argv.slice(2, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json')

function codeOf(error: unknown): PrintedError['code'] {
  if (error instanceof Interrupted) return 'interrupted'
  if (error instanceof ConfigError) return 'config'
  if (error instanceof InputError) return 'input'
  if (error instanceof StorageUnavailable) return 'unavailable'
  // `import` says before it how far it came.
  return error instanceof Error && error.cause instanceof StorageUnavailable ? 'unavailable' : 'failed'
}

/** An AggregateError (every address of a host refused) has an empty message; its parts have one. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : []
  return first instanceof Error ? messageOf(first) : error.name
}

/** Errors quote arguments, and an argument may hold a password: `--password=…`, `postgres://user:password@host`. */
function withoutSecrets(text: string, argv: readonly string[]): string {
  let shown = text
  for (const argument of argv.slice(2)) {
    const [, option] = /^(--?[\w-]+)=/.exec(argument) ?? []
    if (option === undefined && !/:.*@|password=/is.test(argument)) continue
    const quoted = JSON.stringify(argument).slice(1, -1)
    for (const form of [argument, quoted]) shown = shown.replaceAll(form, option ?? '***')
  }
  return shown
}

const oneLine = (text: string): string => printable(text.trim().replace(/\s*\n\s*/g, ' '))
