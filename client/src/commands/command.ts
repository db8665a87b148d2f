import { parseArgs, type ParseArgsConfig } from 'node:util'
import { type Client, createClient } from '../client.ts'
import { isDay } from '../time.ts'

/** What the commands share: options, credentials, output and errors. */

/** Bad use of the command line: one line, exit code 2. */
export class UsageError extends Error {}

export type Options = Record<string, string | boolean | undefined>

export interface Command {
  name: string
  summary: string
  /** `--name=VALUE` or `--name`, and what it does. */
  options: Record<string, { value?: string; help: string; required?: boolean; default?: string }>
  run(options: Options, context: Context): Promise<number>
}

export interface Context {
  /** Aborts at SIGINT and SIGTERM. */
  signal: AbortSignal
  env: Record<string, string | undefined>
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

export const urlOption = { value: 'URL', help: 'address of the server', required: true }
export const jsonOption = { help: 'print one JSON object' }

export function readOptions(command: Command, args: readonly string[]): Options {
  const config: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { value }] of Object.entries(command.options)) {
    config[name] = { type: value ? 'string' : 'boolean' }
  }
  let values: Options
  try {
    values = parseArgs({ args: [...args], options: config, allowPositionals: false }).values as Options
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0])
  }
  if (values['help']) return values
  for (const [name, { required, value, default: preset }] of Object.entries(command.options)) {
    if (values[name] === undefined && preset !== undefined) values[name] = preset
    if (required && !values[name]) throw new UsageError(`--${name} ${value} is missing`)
  }
  return values
}

export function helpOf({ name, summary, options }: Command): string {
  const rows = Object.entries(options).map(([option, { value, help, default: preset }]) => {
    const usage = `  --${option}${value ? ` ${value}` : ''}`.padEnd(26)
    return `${usage}${help}${preset === undefined ? '' : ` (default ${preset})`}`
  })
  return `Usage: tillgate-client ${name} [options]\n\n${summary}\n\n${rows.join('\n')}\n`
}

/** Credentials come from the environment only: others can read a command line. */
export function credentialsOf({ env }: Context): { clientId: string; clientSecret: string } {
  const { TILLGATE_CLIENT_ID: clientId, TILLGATE_CLIENT_SECRET: clientSecret } = env
  if (clientId && clientSecret) return { clientId, clientSecret }
  throw new UsageError('set TILLGATE_CLIENT_ID and TILLGATE_CLIENT_SECRET to the credentials of your app')
}

export function clientOf(options: Options, context: Context): Client {
  const url = urlOf(options['url'])
  let isSilent = true
  return createClient({
    ...credentialsOf(context),
    baseUrl: url,
    timeout: 60_000,
    retry: { limit: 8 },
    // Once: the retries of a mistyped address take a minute.
    onRetry({ code, message }) {
      if (!isSilent || code !== 'connection_failed') return
      isSilent = false
      context.stderr.write(`tillgate-client: ${url} does not answer (${message}); trying again\n`)
    },
  })
}

export function urlOf(value: Options[string], name = 'url'): string {
  const url = URL.canParse(String(value)) ? new URL(String(value)) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--${name} is not an http(s) address`)
  return url.href
}

export function wholeNumber(value: Options[string], name: string, [least, most]: [number, number]): number {
  const number = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${name} was "${String(value)}"; it must be a whole number from ${least} to ${most}`)
}

export function dayOf(value: Options[string], name: string): string {
  const day = String(value)
  if (isDay(day)) return day
  throw new UsageError(`--${name} was "${day}"; it must be a day, yyyy-MM-dd`)
}

/** Whether the server is on this machine. */
export const isLocal = (url: Options[string]): boolean =>
  /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(urlOf(url)).hostname)
