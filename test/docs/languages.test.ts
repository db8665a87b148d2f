import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { parseExact } from '../../client/src/index.ts'
import { sampleItem, sampleOrder } from '../helpers/orders.ts'
import { startWorld, type World } from '../helpers/world.ts'

/** examples/*: the same program in each language, against a real server behind a proxy that fails now and then. */

/** Each with a store of its own, whose id is beyond what a double can hold. */
const languages = [
  { name: 'python', command: ['python3', 'changes.py'], version: '--version', store_id: 9007199254740993n },
  { name: 'ruby', command: ['ruby', 'changes.rb'], version: '--version', store_id: 9007199254740995n },
  { name: 'php', command: ['php', 'changes.php'], version: '--version', store_id: 9007199254740997n },
  { name: 'go', command: ['go', 'run', 'changes.go'], version: 'version', store_id: 9007199254740999n },
]

const folder = mkdtempSync(join(tmpdir(), 'tillgate-languages-'))
let world: World

before(async () => {
  world = await startWorld(languages.map(({ store_id }) => store_id))
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const push = (store_id: bigint, ...records: object[]): Promise<void> =>
  world.push(
    ...records.map(record => JSON.stringify(record).replace(/"store_id":\d+/, `"store_id":${store_id}`)),
  )

type Fault = (response: ServerResponse) => void
const refuse =
  (status: number, headers: Record<string, string> = {}): Fault =>
  response =>
    void response.writeHead(status, headers).end('{"status":{"ack":0,"errors":{"code":"x"}},"data":null}')
const hangUp: Fault = response => void response.socket?.destroy()
const half: Fault = response => void response.end('{"status":{"ack":200,"errors":null},"data":{"changes":[')

interface Proxy {
  base: string
  /** One for each of the next requests to `changes`. */
  faults: Fault[]
  /** Path and time of each request. */
  seen: { path: string; at: number }[]
  close(): void
}

async function startProxy(): Promise<Proxy> {
  const [faults, seen]: [Fault[], Proxy['seen']] = [[], []]
  const server: Server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? ''
    seen.push({ path, at: performance.now() })
    const fault = path.includes('/changes?') ? faults.shift() : undefined
    if (fault) return fault(outgoing)
    const options = { method: incoming.method ?? 'GET', headers: incoming.headers }
    const passed = request(world.server.base + path, options, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, faults, seen, close: () => (server.closeAllConnections(), void server.close()) }
}

/** What the server holds, in the form of the programs' files. */
async function held(store_id: bigint): Promise<unknown> {
  const { text: body } = await world.read('/integration/v1/changes', { store_id, count: 2000 })
  const { changes, next, feed } = (parseExact(body) as any).data
  const entries = Object.fromEntries(changes.map(({ kind, id, data }: any) => [`${kind} ${id}`, data]))
  return { after: next, feed, entries }
}

describe('examples', { concurrency: true }, () => {
  for (const { name, command, version, store_id } of languages) {
    const [program = '', ...rest] = command
    const isMissing = spawnSync(program, [version]).status !== 0
    const skip = isMissing && `${program} is not installed`
    test(`${name}: a page of orders, the whole store, a new feed and what comes next`, { skip }, async t => {
      const proxy = await startProxy()
      const children: ChildProcess[] = []
      t.after(() => {
        for (const child of children) if (child.exitCode === null && child.signalCode === null) stop(child)
        proxy.close()
      })
      const file = join(folder, `${name}.json`)
      const start = (...args: string[]): ChildProcess => {
        const child = spawn(program, [...rest, ...args], {
          cwd: join(import.meta.dirname, '../../examples', name),
          // A group of its own: `go run` starts the program as a child.
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...process.env,
            TILLGATE_URL: proxy.base,
            TILLGATE_CLIENT_ID: world.reader.client_id,
            TILLGATE_CLIENT_SECRET: world.reader.client_secret,
            STORE_ID: String(store_id),
            DAY: '2026-11-01',
            COUNT: '3',
            COPY: file,
          },
        })
        children.push(child)
        return child
      }
      const stop = (child: ChildProcess) => process.kill(-(child.pid as number), 'SIGKILL')
      const run = async (...args: string[]) => {
        const child = start(...args)
        const [stdout, stderr, [code]] = await Promise.all([
          text(child.stdout as never),
          text(child.stderr as never),
          once(child, 'exit'),
        ])
        return { stdout, stderr, code }
      }
      await push(
        store_id,
        sampleOrder({ id: 'O-1', order_number: 'Crème brûlée \u2028 </script>' }),
        sampleOrder({ id: 'O-2' }),
        sampleOrder({ id: 'O-3', created_at: '2026-10-01 00:00:00' }),
        sampleItem({ id: 1 }),
        sampleItem({ id: 2 }),
      )
      const copied = () => parseExact(readFileSync(file, 'utf8'))

      // 429 with Retry-After, no answer, half an answer, an expired token.
      proxy.faults.push(refuse(429, { 'retry-after': '1' }), hangUp, half, refuse(401))
      const first = await run('--once')
      assert.equal(first.code, 0, first.stderr)
      assert.match(first.stdout, /^2 orders on 2026-11-01\n3 changes, 3 entries\n/)
      assert.deepEqual(copied(), await held(store_id))
      assert.equal(existsSync(`${file}.new`), false)
      const pages = proxy.seen.filter(({ path }) => path.includes('/changes?'))
      assert.ok((pages[1]?.at ?? 0) - (pages[0]?.at ?? 0) >= 990, 'it did not wait for Retry-After')
      assert.equal(proxy.seen.filter(({ path }) => path === '/auth/v2/token').length, 2)

      // 409, as after a restored backup.
      proxy.faults.push(refuse(409))
      const again = await run('--once')
      assert.equal(again.code, 0, again.stderr)
      assert.deepEqual(copied(), await held(store_id))

      // What no repetition changes ends the program, with the answer.
      proxy.faults.push(refuse(403))
      const refused = await run('--once')
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /refused: 403 \{"status"/)

      const follower = start()
      const lines = (follower.stdout as NodeJS.ReadableStream).setEncoding('utf8')
      await once(lines, 'data')
      await push(store_id, sampleOrder({ id: `"${name}" sold` }))
      while (!readFileSync(file, 'utf8').includes(`${name}\\" sold`)) await once(lines, 'data')
    })
  }
})
