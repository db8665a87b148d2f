import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { compileCache } from './compile-cache.ts'
import { emptyDatabase } from './engine.ts'
import { assertCleanLog, keepSecret } from './log-check.ts'

const bin = join(import.meta.dirname, '../../bin/tillgate.js')

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** The real command line as a child process, with a database of its own and nothing of our environment. */
export interface Cli {
  /** Where it runs. */
  folder: string
  /** Of the engine that the tests run on, and empty, unless another was given. */
  database: string
  /** For a command that stays: the caller ends it. */
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>
  /** Runs with --json and answers what it printed; throws when the command fails. */
  json<T>(args: readonly string[], options?: RunOptions): Promise<T>
  remove(): void
}

interface RunOptions {
  stdin?: string
  env?: Record<string, string>
  /** Reads nothing of stdout and closes it, as `| true` does. */
  closeStdout?: boolean
}

export async function createCli(given?: { database: string }): Promise<Cli> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-cli-'))
  const database = given?.database ?? (await emptyDatabase({ shared: true }))

  function start(args: readonly string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: compileCache,
        TILLGATE_DATABASE: database,
        ...env,
      },
    })
    if (args[0] === 'serve') watchLog(child)
    return child
  }

  async function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const { stdin = '', env = {}, closeStdout = false } = options
    const child = start(args, env)
    // A command that fails early does not read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    if (closeStdout) child.stdout.destroy()
    const stdoutText = closeStdout ? '' : text(child.stdout)
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    const [stdout, stderr, code] = await Promise.all([stdoutText, text(child.stderr), ended])
    return { code, stdout, stderr }
  }

  async function json<T>(args: readonly string[], options?: RunOptions): Promise<T> {
    const { code, stdout, stderr } = await run([...args, '--json'], options)
    if (code !== 0) throw new Error(`tillgate ${args.join(' ')} exited with ${code}: ${stderr}`)
    const printed = JSON.parse(stdout)
    keepSecret('client_secret', printed.client_secret)
    return printed as T
  }

  return {
    folder,
    database,
    start,
    run,
    json,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A server's standard error is its log. What cannot be served says so in words instead, and logs nothing. */
function watchLog(child: ChildProcessWithoutNullStreams): void {
  let log = ''
  child.stderr.on('data', chunk => {
    log += chunk
  })
  child.once('close', (_code, signal) => {
    if (log.startsWith('{')) assertCleanLog(log.trimEnd().split('\n'), { killed: signal === 'SIGKILL' })
  })
}
