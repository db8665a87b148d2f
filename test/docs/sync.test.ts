import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { byTest } from '../helpers/by.ts'
import { testClock } from '../helpers/clock.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startServer, type TestServer } from '../helpers/server.ts'

/** docs/sync.md: its programs run as they stand there, with smaller pages, so that a walk has several. */

const guide = readFileSync(new URL('../../docs/sync.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'tillgate-sync-'))
const store_id = 1001
const days = ['2026-10-01', '2026-11-30']

function block(name: string): string {
  const found = [...guide.matchAll(/<!-- test: (\S+) -->\n```\w+\n([^]*?)```/g)].filter(
    each => each[1] === name,
  )
  assert.notEqual(found.length, 0, `the guide has no block "${name}"`)
  return found.map(([, , code]) => code).join('\n')
}

/** Numbers that a double cannot hold, as text. TypeScript does not know the third parameter yet. */
const parse: (text: string) => any = text =>
  (JSON.parse as any)(text, (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && String(value) !== source ? source : value,
  )

class Program {
  readonly name: string
  readonly copy: string
  readonly #command: string[]
  #child: ChildProcess | null = null

  constructor(name: string, file: string, command: string) {
    this.name = name
    this.copy = join(folder, `${name}.db`)
    this.#command = [command, join(folder, file)]
    writeFileSync(join(folder, file), block(name).replace(/("?count"?: )1000/, '$120'))
  }

  /** Throws when the program has ended by itself: what a test waits for would never come. */
  assertRunning(): void {
    const { exitCode = null, stderr } = this.#child ?? {}
    assert.equal(exitCode, null, `${this.name} has ended: ${String(stderr?.read() ?? '')}`)
  }

  /** Whether it is in a transaction that writes. */
  isWriting(): boolean {
    const db = new DatabaseSync(this.copy, { timeout: 0 })
    try {
      db.exec('begin immediate; rollback')
      return false
    } catch {
      return true
    } finally {
      db.close()
    }
  }

  start(...args: string[]): ChildProcess {
    const [command = '', file = ''] = this.#command
    const env = { ...environment, COPY: this.copy }
    this.#child = spawn(command, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    return this.#child
  }

  async kill(): Promise<void> {
    const ended = once(this.#child as ChildProcess, 'exit')
    this.#child?.kill('SIGKILL')
    await ended
  }

  async compare(): Promise<string[]> {
    const child = this.start('compare', ...days)
    const [out, error] = await Promise.all([text(child.stdout as never), text(child.stderr as never)])
    assert.match(out, /^\[.*\]\n$/, error)
    return JSON.parse(out) as string[]
  }

  query(sql: string): any[] {
    const db = new DatabaseSync(this.copy, { timeout: 10_000 })
    try {
      return db.prepare(sql).all()
    } finally {
      db.close()
    }
  }

  /** Every entry of the copy, by kind and id. */
  entries(): unknown[] {
    return this.query('select kind, id, seq, data from entries order by kind, id').map(
      ({ data, ...rest }) => ({
        ...rest,
        data: parse(data),
      }),
    )
  }
}

let server: TestServer
let client: Awaited<ReturnType<TestServer['newApp']>>
let environment: Record<string, string>
let programs: Program[]

before(async () => {
  // After the times of every order below: the server refuses a time that is far ahead.
  server = await startServer({ clock: testClock(1_795_608_000) })
  client = await server.newApp()
  await server.push(sampleStore({ id: store_id }))
  await server.apps.authorize(client.client_id, [BigInt(store_id)], byTest)
  environment = {
    PATH: process.env['PATH'] ?? '',
    TILLGATE_URL: server.base,
    STORE_ID: String(store_id),
    TILLGATE_CLIENT_ID: client.client_id,
    TILLGATE_CLIENT_SECRET: client.client_secret,
  }
  for (const name of ['requests_to_tillgate.py', 'requests-to-tillgate.ts']) {
    writeFileSync(join(folder, name), block(name))
  }
  programs = [new Program('typescript', 'follow.ts', process.execPath)]
  if (spawnSync('python3', ['--version']).status === 0) {
    programs.push(new Program('python', 'follow.py', 'python3'))
  }
})
after(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const order = (id: string, over: object = {}) => sampleOrder({ store_id, id, ...over })
const many = (name: string, count: number) => Array.from({ length: count }, (_, i) => order(`${name}${i}`))

/** What the server holds, as a walk from 0 gives it. */
async function held(): Promise<unknown[]> {
  const path = `/integration/v1/changes?store_id=${store_id}&count=2000`
  const { data } = parse((await server.get(path, await server.token(client))).text)
  const entries = data.changes.map(({ kind, id, seq, data }: any) => ({ kind, id: String(id), seq, data }))
  const key = ({ kind, id }: any) => `${kind} ${id}`
  return entries.sort((a: any, b: any) => (key(a) < key(b) ? -1 : 1))
}

/** Resolves when every program has everything and waits. */
async function untilCurrent(): Promise<void> {
  const [head] = (await server.get('/integration/v1/changes/heads', await server.token(client))).json.data
  const isCurrent = (program: Program) => program.query('select next from position')[0]?.next === head.seq
  const all = new RegExp(`tillgate_waiting_requests ${programs.length}\\n`)
  while (!all.test((await server.get('/metrics')).text) || !programs.every(isCurrent)) {
    for (const program of programs) program.assertRunning()
    await new Promise(setImmediate)
  }
}

/** Calls `then` with the address of each answer of the API; the result stops it. */
function afterAnswers(then: (url: string) => void): () => void {
  const listen = ({ url }: IncomingMessage, response: ServerResponse) => {
    if (url?.startsWith('/integration/')) response.once('finish', () => then(url))
  }
  server.app.server.on('request', listen)
  return () => void server.app.server.off('request', listen)
}

/** Starts the programs one by one, and kills each after two pages of its walk. */
async function startAndKill(): Promise<void> {
  for (const program of programs) {
    const { promise, resolve } = Promise.withResolvers<void>()
    let answers = 0
    const stop = afterAnswers(() => ++answers === 2 && resolve())
    program.start('follow')
    await promise
    await program.kill()
    stop()
  }
}

async function assertEqualToServer(): Promise<void> {
  const expected = await held()
  for (const program of programs) assert.deepEqual(program.entries(), expected, program.name)
}

test('Python is there, or its program is not tried', t => {
  if (programs.length < 2)
    t.skip('this machine has no python3: only the TypeScript program of docs/sync.md is tried')
})

test('the loops are short: at most 40 lines each', () => {
  for (const name of ['python', 'typescript']) {
    const [, code = ''] = new RegExp(`<!-- test: ${name} -->\n\`\`\`\\w+\n([^]*?)\`\`\``).exec(guide) ?? []
    assert.ok(code.trimEnd().split('\n').length <= 40, name)
  }
})

test('killed in the first copy and started again, a program ends with what the server holds', async () => {
  await server.push(...many('first', 70), sampleItem({ store_id, id: 1 }), sampleItem({ store_id, id: 2 }))
  await server.push(sampleItem({ store_id, id: (JSON as any).rawJSON('9007199254740993') }))
  await startAndKill()
  for (const program of programs) program.start('follow')
  await untilCurrent()
  await assertEqualToServer()
})

test('late, corrected, back-dated, moved and refunded orders, and deleted items come while it waits', async () => {
  await server.push(
    order('late', { created_at: '2026-10-02 10:00:00', updated_at: '2026-10-02 10:00:00' }),
    order('first1', { order_number: 'corrected with the same updated_at' }),
    order('first2', { created_at: '2026-10-03 00:00:00', updated_at: '2026-11-03 00:00:00' }),
    order('first3', { created_at: '2026-11-20 23:59:59', updated_at: '2026-11-21 00:00:00' }),
    order('first4', { status: 11, updated_at: '2026-11-22 00:00:00' }),
    sampleItem({ store_id, id: 2, status: 4, updated_at: '2026-11-22 00:00:00' }),
  )
  await untilCurrent()
  await assertEqualToServer()
})

test('a program waits when another one reads the copy while a page is stored', async () => {
  const readers = programs.map(({ copy }) => new DatabaseSync(copy))
  for (const reader of readers) reader.prepare('begin').run()
  for (const reader of readers) reader.prepare('select count(*) from entries').get()
  await server.push(order('read'))
  for (const program of programs) {
    // A transaction of one entry that lasts so long waits for the reader.
    for (let looks = 0; looks < 100; looks = program.isWriting() ? looks + 1 : 0) {
      program.assertRunning()
      await new Promise(setImmediate)
    }
  }
  for (const reader of readers) reader.close()
  await untilCurrent()
  await assertEqualToServer()
})

test('a token that expires is renewed', async () => {
  server.clock.advance(3 * 86_400)
  await server.push(...many('after the expiry ', 3))
  await untilCurrent()
  await assertEqualToServer()
})

test('a new feed: a program walks again, also when it is killed meanwhile, and drops what the server lacks', async () => {
  await Promise.all(programs.map(program => program.kill()))
  for (const program of programs) {
    program.query(
      "insert into entries select store_id, kind, 'lost', 2 * seq, walk, data from entries limit 1 returning 1",
    )
  }
  await server.storage.changes.renewHistory()
  await startAndKill()
  for (const program of programs) {
    assert.equal(
      program.query("select 1 from entries where id = 'lost'").length,
      1,
      'the old copy stays until the end',
    )
    program.start('follow')
  }
  await untilCurrent()
  await assertEqualToServer()
})

test('receipts: no day differs, also when orders are stored meanwhile; a lost order is found', async () => {
  await Promise.all(programs.map(program => program.kill()))
  await server.push(...many('since then ', 30))
  for (const program of programs) {
    const pushes: Promise<void>[] = []
    const stop = afterAnswers(url => {
      const name = `${program.name} ${pushes.length} `
      const isReceipts = url.includes('receipts')
      const changed = isReceipts ? [order('first5', { order_number: name })] : []
      if (isReceipts || pushes.length < 4) pushes.push(server.push(...many(name, 3), ...changed))
    })
    assert.deepEqual(await program.compare(), [], program.name)
    stop()
    await Promise.all(pushes)
    assert.ok(pushes.length > 2)
    const [lost] = program.query(
      "delete from entries where id = 'late' returning substr(data ->> '$.created_at', 1, 10) as day",
    )
    program.query("update entries set seq = seq + 1 where kind = 'item' and id = 1 returning 1")
    assert.deepEqual(await program.compare(), [lost.day, 'items'], program.name)
  }
})
