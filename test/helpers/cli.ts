import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../src/cli.ts'
import { tillgateBin } from './build.ts'
import { compileCache } from './compile-cache.ts'
import { emptyDatabase } from './engine.ts'
import { assertCleanLog, keepSecret } from './log-check.ts'
import { databaseEnvironment } from './storage.ts'

interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** The command line, with a database of its own and an environment that has nothing of the test's. */
export interface Cli {
  /** Where it runs. */
  folder: string
  /** Of the engine that the tests run on, and empty, unless another was given. */
  database: string
  /** A child process, for a command that keeps running: the caller ends it. */
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams
  /** Runs a command as a child process to its end, for tests about the process itself. */
  spawn(args: readonly string[], options?: SpawnOptions): Promise<Outcome>
  /** Runs a command in this process, in a fraction of a child's time. Commands run one after another. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>
  /** Runs with --json and answers the parsed output; throws when the command fails. */
  json<T>(args: readonly string[], options?: RunOptions): Promise<T>
  remove(): void
}

interface RunOptions {
  stdin?: string
  env?: Record<string, string>
}

interface SpawnOptions extends RunOptions {
  /** Reads nothing of stdout and closes it, as `| true` does. */
  closeStdout?: boolean
}

export async function createCli(given?: { database: string }): Promise<Cli> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-cli-'))
  const database = given?.database ?? (await emptyDatabase({ shared: true, schema: false }))

  const environment = (env: Record<string, string> = {}): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: compileCache,
    TILLGATE_DATABASE: database,
    ...databaseEnvironment,
    ...env,
  })

  function start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [tillgateBin, ...args], { cwd: folder, env: environment(env) })
    if (args[0] === 'serve') watchLog(child)
    return child
  }

  async function spawned(args: readonly string[], options: SpawnOptions = {}): Promise<Outcome> {
    const { stdin = '', env, closeStdout = false } = options
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

  // Without threads: one takes longer to start than most imports of a test.
  const run = (args: readonly string[], { stdin = '', env }: RunOptions = {}): Promise<Outcome> =>
    inProcess(args, { stdin, folder, env: environment({ TILLGATE_INGEST_THREADS: '0', ...env }) })

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
    spawn: spawned,
    run,
    json,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface Surroundings {
  stdin: string
  folder: string
  env: NodeJS.ProcessEnv
}

// Node's console keeps the first streams that it meets: they must be the real ones, and not those of a command.
for (const stream of ['_stdout', '_stderr']) Reflect.get(console, stream)

let last: Promise<unknown> = Promise.resolve()

/** One at a time: a command reads the streams, the environment and the folder of the whole process. */
function inProcess(args: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const outcome = last.then(() => runMain(args, surroundings))
  last = outcome.catch(() => {})
  return outcome
}

async function runMain(args: readonly string[], { stdin, folder, env }: Surroundings): Promise<Outcome> {
  const before = { env: process.env, cwd: process.cwd(), exitCode: process.exitCode }
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  // The test runner keeps writing to the stream that it took at its start.
  const restore = replaceStreams({ stdin: Readable.from([stdin], { objectMode: false }), stdout, stderr })
  process.chdir(folder)
  process.env = env
  process.exitCode = undefined
  try {
    const printed = Promise.all([text(stdout), text(stderr)])
    await main(['node', 'tillgate', ...args])
    stdout.end()
    stderr.end()
    const [out, err] = await printed
    return { code: Number(process.exitCode ?? 0), stdout: out, stderr: err }
  } finally {
    restore()
    process.chdir(before.cwd)
    process.env = before.env
    process.exitCode = before.exitCode
  }
}

/** They are getters of `process`. Answers a function that puts the ones before back. */
function replaceStreams(streams: Record<'stdin' | 'stdout' | 'stderr', Readable | PassThrough>): () => void {
  const before = Object.getOwnPropertyDescriptors(process)
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true })
  }
  return () => {
    for (const name of Object.keys(streams)) {
      Object.defineProperty(process, name, before[name as keyof typeof streams])
    }
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
