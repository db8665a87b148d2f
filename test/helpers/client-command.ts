import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '../../client/src/cli.ts'

const bin = join(import.meta.dirname, '../../client/bin/tillgate-client.js')

export interface Credentials {
  client_id: string
  client_secret: string
}

const environment = ({ client_id, client_secret }: Credentials) => ({
  TILLGATE_CLIENT_ID: client_id,
  TILLGATE_CLIENT_SECRET: client_secret,
})

/** A command of `tillgate-client` in this process. */
export async function runClient(
  args: readonly string[],
  credentials: Credentials,
  options: { signal?: AbortSignal; terminal?: boolean } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { signal = new AbortController().signal, terminal = false } = options
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: terminal })]
  const output = Promise.all([text(stdout), text(stderr)])
  const context = { signal, env: environment(credentials), stdout: stdout as never, stderr: stderr as never }
  const code = await run(args, context)
  stdout.end()
  stderr.end()
  const [out, error] = await output
  return { code, stdout: out, stderr: error }
}

/** The same in a process of its own, to be killed: the caller ends it. */
export const startClient = (
  args: readonly string[],
  credentials: Credentials,
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [bin, ...args], { env: { PATH: process.env['PATH'], ...environment(credentials) } })
