import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { Cli } from './cli.ts'
import { freePort } from './ports.ts'
import { type Answer, answerOf } from './answers.ts'

/** One ingest thread in the tests (global-setup.ts), since each takes as long to start as the server; torture has all. */
const given = process.env['TEST_INGEST_THREADS']
const threads: Record<string, string> = given ? { TILLGATE_INGEST_THREADS: given } : {}

/** A real `tillgate serve`, as a process of its own. */
export interface Node {
  base: string
  process: ChildProcessWithoutNullStreams
  /** The lines logged so far. */
  log(): Record<string, unknown>[]
  /** Waits for a line that fits. */
  logged(fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  get(path: string, token?: string): Promise<Answer>
  post(path: string, form: Record<string, string> | URLSearchParams): Promise<Answer>
  /** Exit code and signal of an end by SIGTERM. */
  stop(): Promise<[code: number | null, signal: string | null]>
}

export async function startNode(cli: Cli, env: Record<string, string>): Promise<Node> {
  const port = env['PORT'] ?? (await freePort())
  const base = `http://127.0.0.1:${port}`
  const child = cli.start(['serve'], { PORT: String(port), ...threads, ...env })
  const ended = once(child, 'close') as ReturnType<Node['stop']>
  let logs = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    logs += chunk
  })
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(([code]) => Promise.reject(new Error(`serve ended with ${code}: ${logs}`))),
  ])

  const node: Node = {
    base,
    process: child,
    log: () =>
      logs
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as Record<string, unknown>),
    async logged(fits) {
      for (;;) {
        const line = node.log().find(fits)
        if (line) return line
        await once(child.stderr, 'data')
      }
    },
    get: async (path, token) =>
      answerOf(
        await fetch(base + path, {
          redirect: 'manual',
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        }),
      ),
    post: async (path, form) =>
      answerOf(
        await fetch(base + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) }),
      ),
    async stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
  return node
}

/** One address for several nodes, with each request to another of them: nothing may depend on which it is. */
export async function startBalancer(port: number, bases: () => string[]): Promise<Server> {
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const all = bases()
    const target = new URL(incoming.url ?? '/', all[turn++ % all.length])
    const { method, headers } = incoming
    const passed = request(target, { method: method ?? 'GET', headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
