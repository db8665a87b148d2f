import { once } from 'node:events'
import type { Cli } from './cli.ts'

/** `tillgate demo` as a process of its own, and what it printed. */
export interface RunningDemo {
  printed: string
  base: string
  /** Of Harbour Ledger. */
  site: string
  /** The value of a line of the guide, such as "Consent". */
  line(name: string): string
  password(email: string): string
  app(name: 'Dashboard' | 'Tills' | 'Ledger'): { client_id: string; client_secret: string }
  /** Writes records as the tills do. */
  push(...records: object[]): Promise<void>
  /** Ends it by this signal, and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export async function startDemo(
  cli: Cli,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<RunningDemo> {
  const child = cli.start(['demo', ...args], { PORT: '0', TILLGATE_LOG_LEVEL: 'silent', ...env })
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  const complaints: string[] = []
  child.stderr.on('data', chunk => complaints.push(String(chunk)))
  const printed = await untilReady(child.stdout, () => complaints.join(''))
  const found = (pattern: RegExp): RegExpExecArray => {
    const match = pattern.exec(printed)
    if (!match) throw new Error(`${pattern} is not in: ${printed}`)
    return match
  }
  const line = (name: string): string => found(new RegExp(`^  ${name} +(.*)$`, 'm'))[1] ?? ''
  const base = found(/ready at (\S+)/)[1] ?? ''
  const app: RunningDemo['app'] = name => {
    const [, client_id = '', client_secret = ''] =
      /client_id=(\S+) client_secret=(\S+)/.exec(line(name)) ?? []
    return { client_id, client_secret }
  }
  return {
    printed,
    base,
    site: line('Example app'),
    line,
    app,
    password: email => found(new RegExp(`${email} +(\\S+)$`, 'm'))[1] ?? '',
    async push(...records) {
      const form = new URLSearchParams({ grant_type: 'client_credentials', ...app('Tills') })
      const token = await fetch(`${base}/auth/v2/token`, { method: 'POST', body: form })
      const { access_token } = (await token.json()) as { access_token: string }
      const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/x-ndjson' }
      const body = records.map(record => JSON.stringify(record)).join('\n')
      const answer = await fetch(`${base}/platform/v1/records`, { method: 'POST', headers, body })
      if (answer.status !== 200) throw new Error(await answer.text())
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return (await ended)[0]
    },
  }
}

/** All it printed up to the line that says that it serves. */
async function untilReady(stdout: NodeJS.ReadableStream, complaints: () => string): Promise<string> {
  let printed = ''
  // Left open: a server whose output nobody takes would fail on its next line.
  for await (const chunk of (stdout as import('node:stream').Readable).iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    if (/^Tillgate is ready at .*\n/m.test(printed)) return printed
  }
  throw new Error(`the demo ended before it served: ${printed}${complaints()}`)
}
