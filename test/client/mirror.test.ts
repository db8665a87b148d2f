import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import fs, { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, mock, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { openNdjson } from '../../client/src/mirror/ndjson.ts'
import { openSqlite } from '../../client/src/mirror/sqlite.ts'
import { byTest } from '../helpers/by.ts'
import { runClient, startClient } from '../helpers/client-command.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { startWorld, type World } from '../helpers/world.ts'

/** `tillgate-client mirror` and `verify` with a SQLite file. */

const big = 9007199254740993n
const folder = mkdtempSync(join(tmpdir(), 'tillgate-mirror-'))
let world: World
before(async () => {
  world = await startWorld([1001, 1002, big])
  await world.push(
    ...many('first', 30),
    ...many('second', 10, { store_id: 1002 }),
    sampleItem({ id: 1 }),
    sampleItem({ id: 2 }),
  )
  await world.push(JSON.stringify(sampleItem({ id: 0, store_id: 0 })).replaceAll(':0,', `:${big},`))
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const order = (id: string, over: object = {}) => sampleOrder({ id, ...over })
const many = (name: string, count: number, over: object = {}) =>
  Array.from({ length: count }, (_, i) =>
    order(`${name} ${i}`, { order_number: `\u2028 "${name}" ${i}`, ...over }),
  )

const args = (command: string, file: string, ...more: string[]) => [
  command,
  '--url',
  world.server.base,
  '--to',
  join(folder, file),
  '--json',
  ...more,
]
const mirror = async (file: string, ...more: string[]) => {
  const { code, stdout, stderr } = await runClient(
    args('mirror', file, '--count', '7', ...more),
    world.reader,
  )
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}
const verify = async (file: string, ...more: string[]) => {
  const { code, stdout, stderr } = await runClient(args('verify', file, ...more), world.reader)
  assert.equal(stderr, '')
  return { code, ...JSON.parse(stdout) }
}
/** Fewer requests than the default, every day since 1970. */
const lately = ['--since', '2025-01-01']
const complete = async (file: string, ...more: string[]) => {
  const result = await verify(file, ...(more.length > 0 ? more : lately))
  assert.deepEqual([result.code, result.complete, result.differ], [0, true, []], JSON.stringify(result))
}

function query(file: string, sql: string): any[] {
  const db = new DatabaseSync(join(folder, file), { timeout: 10_000, readBigInts: true })
  try {
    return db
      .prepare(sql)
      .all()
      .map(row => ({ ...row }))
  } finally {
    db.close()
  }
}

/** The text of each entry as the server sends it, by store, kind and id. */
async function held(store_ids: readonly (number | bigint)[]): Promise<string[]> {
  const all: string[] = []
  for (const store_id of store_ids) {
    const { text } = await world.read('/integration/v1/changes', { store_id, count: 2000 })
    for (const [, seq, kind, id, data] of text.matchAll(
      /\{"seq":(\d+),"kind":"(\w+)","id":("(?:[^"\\]|\\.)*"|\d+),"data":(\{.*?\})\}(?=,\{"seq"|\],"next")/gs,
    )) {
      all.push(`${store_id} ${kind} ${id?.replaceAll('"', '')} ${seq} ${hash('sha1', String(data))}`)
    }
  }
  return all.sort()
}
const copied = (file: string): string[] =>
  query(
    file,
    "select *, 'order' as kind from (select store_id, id, seq, data from orders) union all select store_id, id, seq, data, 'item' from items",
  )
    .map(
      ({ store_id, kind, id, seq, data }) => `${store_id} ${kind} ${id} ${seq} ${hash('sha1', String(data))}`,
    )
    .sort()

test('a mirror has every store, order and item, digit for digit, and verify proves it', async () => {
  const result = await mirror('all.db')
  const { requests, ...rest } = result
  assert.deepEqual(rest, { stores: 3, orders: 40, items: 3, complete: true })
  // A token, the stores, five pages of 32 entries, two of 10, one of 1.
  assert.equal(requests, 10)
  const expected = await held([1001, 1002, big])
  assert.equal(expected.length, 43)
  assert.deepEqual(copied('all.db'), expected)
  const stores = query('all.db', 'select store_id, id, name, timezone, complete from stores order by id')
  assert.deepEqual(stores.at(-1), {
    store_id: big,
    id: big,
    name: 'Harbour Street',
    timezone: 'Australia/Sydney',
    complete: 1n,
  })
  await complete('all.db')
})

test('the views answer questions at once', async () => {
  const [overview] = query('all.db', "select * from order_overview where id = 'first 1'")
  assert.deepEqual(
    [overview.store, overview.status_name, overview.subtotal, overview.lines, overview.paid],
    ['Harbour Street', 'paid', 450n, 1n, 450n],
  )
  const [line] = query('all.db', "select * from order_lines where order_id = 'first 1'")
  assert.deepEqual([line.name, line.count, line.net_price, line.menu_id], ['Flat white', 1n, 409.09, 12n])
  const [payment] = query('all.db', "select * from order_payments where order_id = 'first 1'")
  assert.deepEqual([payment.name, payment.amount], ['Card', 450n])
  const [tax] = query('all.db', "select * from order_taxes where order_id = 'first 1'")
  assert.deepEqual([tax.name, tax.amount, tax.rate], ['GST', 40.91, 0.1])
  const [day] = query('all.db', 'select * from sales_by_day where store_id = 1001')
  assert.deepEqual([day.day, day.orders, day.refunded, day.subtotal], ['2026-11-01', 30n, 0n, 13_500n])
})

test('a later run brings late, corrected, refunded and new entries, and asks only for them', async () => {
  await world.push(
    order('late', { created_at: '2025-02-01 10:00:00', updated_at: '2025-02-01 10:00:00' }),
    order('ancient', { created_at: '1999-02-01 10:00:00', updated_at: '1999-02-01 10:00:00' }),
    order('first 1', { order_number: 'corrected, same updated_at' }),
    order('first 2', { status: 3, updated_at: '2026-11-02 00:00:00' }),
    sampleItem({ id: 2, status: 4, updated_at: '2026-11-02 00:00:00' }),
  )
  assert.deepEqual(await mirror('all.db'), { stores: 3, orders: 42, items: 3, requests: 5, complete: true })
  assert.deepEqual(copied('all.db'), await held([1001, 1002, big]))
  await complete('all.db')
})

test('verify finds a day that the copy lacks, however old it is; with --since only later ones', async () => {
  const db = new DatabaseSync(join(folder, 'all.db'))
  db.exec("delete from orders where id = 'ancient'")
  const { differ, requests } = await verify('all.db')
  assert.deepEqual(differ, [{ store_id: 1001, days: ['1999-02-01'] }])
  await complete('all.db', '--since', '1999-02-02')
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const recent = await verify('all.db', '--since', yesterday)
  assert.deepEqual([recent.complete, recent.requests < 20], [true, true], `${recent.requests} requests`)
  assert.ok(requests > 3 * 50, String(requests))
  db.close()
  assert.equal((await verify('all.db', '--since', '1999-02-01', '--repair')).complete, true)
  for (const day of ['1999', '2026-02-30', '9999-01-01']) {
    const { code, stderr } = await runClient(args('verify', 'all.db', '--since', day), world.reader)
    assert.deepEqual([code, /--since/.test(stderr)], [2, true], day)
  }
})

test('a store that is revoked keeps its entries and is marked; one that is new or returns is followed', async () => {
  const { client_id } = world.reader
  await world.push(sampleStore({ id: 1004 }), order('new', { store_id: 1004 }))
  await world.server.apps.authorize(client_id, [1004n], byTest)
  await world.server.apps.revoke(client_id, [1002n], byTest)
  const { stores, orders } = await mirror('all.db')
  assert.deepEqual([stores, orders], [3, 33])
  const marked = () =>
    query('all.db', 'select store_id from stores where removed_at is not null').map(row => row.store_id)
  assert.deepEqual(marked(), [1002n])
  assert.equal(query('all.db', 'select 1 from orders where store_id = 1002').length, 10)
  await complete('all.db')
  await world.push(order('meanwhile', { store_id: 1002 }))
  await world.server.apps.authorize(client_id, [1002n], byTest)
  assert.equal((await mirror('all.db')).orders, 44)
  assert.deepEqual(marked(), [])
  assert.deepEqual(copied('all.db'), await held([1001, 1002, 1004, big]))
})

test('an app that gets a scope goes on with what the merchant allowed, and has the rest once it is allowed', async () => {
  const { server } = world
  const client = await server.newApp({ scope: 'integration.store integration.order' })
  const { client_id, app } = client
  await server.apps.authorize(client_id, [1001n], byTest)
  const run = async () => {
    const { code, stdout, stderr } = await runClient(args('mirror', 'scope.db'), client)
    assert.deepEqual([code, stderr], [0, ''])
    const { orders, items } = JSON.parse(stdout)
    return { orders, items }
  }
  const { orders } = await run()
  const scope = 'integration.store integration.order integration.inventory'
  await server.apps.change(client_id, { name: app.name, redirect_uris: app.redirect_uris, scope }, byTest)
  await world.push(order('after'))
  assert.deepEqual(await run(), { orders: orders + 1, items: 0 })
  await server.apps.authorize(client_id, [1001n], byTest)
  assert.ok((await run()).items > 0)
})

test('a kind that the copy holds and the app may no longer read is named, and nothing is called complete', async () => {
  const { server } = world
  const both = 'integration.store integration.order integration.inventory'
  const client = await server.newApp({ scope: both })
  const { client_id, app } = client
  const allow = (scope: string) =>
    server.apps.change(client_id, { name: app.name, redirect_uris: app.redirect_uris, scope }, byTest)
  const stores = [1001n, 1002n]
  await server.apps.authorize(client_id, stores, byTest)
  const run = async (command: string, file: string, ...more: string[]) => {
    const result = await runClient(args(command, file, ...more), client)
    assert.notEqual(result.stdout, '', result.stderr)
    return { ...result, result: JSON.parse(result.stdout) }
  }
  const files: [string, ...string[]][] = [['lost.db'], ['lost.ndjson', '--format', 'ndjson']]
  for (const file of files) assert.equal((await run('mirror', ...file)).code, 0)

  await allow('integration.store integration.order')
  const days = ['items (no access)']
  for (const [file, ...more] of files) {
    const { code, stderr, result } = await run('mirror', file, ...more)
    assert.deepEqual([code, result.complete, result.items > 0], [1, false, true])
    assert.equal(
      stderr,
      'tillgate-client: the items of stores 1001, 1002 are no longer followed: the access of the app lacks integration.inventory\n',
    )
  }
  // A new feed reads again only what the app may read, and the rest stays.
  await server.storage.changes.renewHistory()
  assert.equal((await run('mirror', 'lost.db')).result.items > 0, true)
  for (const repair of [[], ['--repair']]) {
    const { code, result } = await run('verify', 'lost.db', ...lately, ...repair)
    assert.deepEqual(
      [code, result.complete, result.differ],
      [1, false, stores.map(id => ({ store_id: Number(id), days }))],
    )
  }

  await allow('integration.store integration.inventory')
  await server.apps.authorize(client_id, stores, byTest)
  const orders = await run('verify', 'lost.db', ...lately)
  assert.deepEqual([orders.code, orders.result.differ[0].days], [1, ['orders (no access)']])
  await allow(both)
  await server.apps.authorize(client_id, stores, byTest)
  for (const file of files) {
    const { code, stderr, result } = await run('mirror', ...file)
    assert.deepEqual([code, stderr, result.complete], [0, '', true])
  }
  assert.equal((await run('verify', 'lost.db', ...lately)).code, 0)
})

test('a new feed: everything is read again, and what the server no longer has is deleted at the end', async () => {
  const db = new DatabaseSync(join(folder, 'all.db'))
  db.exec(
    "insert into orders (store_id, id, seq, walk, data) select store_id, 'lost', seq * 2, walk, data from orders limit 1",
  )
  db.close()
  await world.server.storage.changes.renewHistory()
  assert.equal((await mirror('all.db')).complete, true)
  assert.deepEqual(copied('all.db'), await held([1001, 1002, 1004, big]))
  await complete('all.db')
})

test('verify names the days that differ, also items, and --repair reads the store again', async () => {
  const db = new DatabaseSync(join(folder, 'all.db'))
  db.exec("delete from orders where id = 'late'; update orders set seq = seq - 1 where id = 'first 3'")
  db.exec('update items set seq = seq - 1 where id = 1; delete from orders where store_id = 1004')
  db.close()
  const found = await verify('all.db', ...lately)
  assert.deepEqual([found.code, found.complete], [1, false])
  assert.deepEqual(found.differ, [
    { store_id: 1001, days: ['2025-02-01', '2026-11-01', 'items'] },
    { store_id: 1004, days: ['2026-11-01'] },
  ])
  const plain = await runClient(
    args('verify', 'all.db', ...lately).filter(arg => arg !== '--json'),
    world.reader,
  )
  assert.match(
    plain.stdout,
    /^store 1001 differs: 2025-02-01, 2026-11-01, items\nstore 1004 differs: 2026-11-01\nnot complete/,
  )
  assert.equal((await verify('all.db', '--repair', ...lately)).complete, true)
  assert.deepEqual(copied('all.db'), await held([1001, 1002, 1004, big]))
})

test('verify finds data that was changed in the file, and --repair reads it again', async () => {
  const db = new DatabaseSync(join(folder, 'all.db'))
  db.exec("update orders set data = json_set(data, '$.order_number', 'another') where id = 'first 3'")
  db.exec("update items set data = replace(data, 'status', 'Status') where id = 1")
  db.close()
  const { complete, differ } = await verify('all.db', ...lately)
  assert.deepEqual([complete, differ], [false, [{ store_id: 1001, days: ['2026-11-01', 'items'] }]])
  assert.equal((await verify('all.db', '--repair', ...lately)).complete, true)
  assert.deepEqual(copied('all.db'), await held([1001, 1002, 1004, big]))
})

test('verify names entries that were changed to values that no server sends, and --repair reads them again', async () => {
  const one = "where id = 'first 3'"
  const set = (field: string, value: string) =>
    `update orders set data = json_set(data, '$.${field}', ${value}) ${one}`
  const extra = (data: string) =>
    `insert into orders (store_id, id, seq, walk, data) values (1001, 'x', 5, 9, '${data}')`
  const huge = '9223372036854775807'
  const cases: [sql: string, days: string[]][] = [
    [set('subtotal', '12.5'), ['2026-11-01']],
    [set('subtotal', "'abc'"), ['2026-11-01']],
    [set('subtotal', huge), ['2026-11-01']],
    [set('created_at', "'garbage'"), ['2026-11-01', 'undated']],
    [set('created_at', "'0000-13-45 00:00:00'"), ['2026-11-01', 'undated']],
    [set('created_at', "'0000-12-31 00:00:00'"), ['2026-11-01', 'undated']],
    [set('created_at', 'null'), ['2026-11-01', 'undated']],
    [`update orders set seq = ${huge} ${one}`, ['2026-11-01']],
    [`update orders set checksum = ${huge} ${one}`, ['2026-11-01']],
    [`update items set seq = ${huge}, data = '{}' where id = 1`, ['items']],
    [extra('{}'), ['undated']],
    [extra('{"created_at":"2030-01-01 00:00:00","subtotal":0}'), ['2030-01-01']],
  ]
  for (const [sql, days] of cases) {
    const db = new DatabaseSync(join(folder, 'all.db'))
    db.exec(sql)
    db.close()
    const { code, differ } = await verify('all.db', ...lately)
    assert.deepEqual([code, differ], [1, [{ store_id: 1001, days }]], sql)
    assert.equal((await verify('all.db', '--repair', ...lately)).complete, true, sql)
  }
  assert.deepEqual(copied('all.db'), await held([1001, 1002, 1004, big]))
})

test('a file of the first version is brought up to date', async () => {
  const db = new DatabaseSync(join(folder, 'all.db'))
  for (const table of ['orders', 'items']) db.exec(`alter table ${table} drop column checksum`)
  db.exec('alter table stores drop column kinds')
  db.exec('pragma user_version = 1')
  db.close()
  await mirror('all.db')
  await complete('all.db')
  assert.equal(query('all.db', 'select 1 from orders where checksum is null').length > 0, true)
  assert.deepEqual(query('all.db', 'select kinds from stores where store_id in (1001, 1004)'), [
    { kinds: 'order,item' },
    { kinds: 'order,item' },
  ])
})

test('a full disk is the error that is reported, and the copy goes on where it was', async () => {
  const copy = await openSqlite(join(folder, 'full.db'))
  copy.saveStores([{ id: 1, name: 'Harbour Street', timezone: 'Australia/Sydney' }])
  const data = JSON.stringify({ text: 'x'.repeat(100_000) })
  const changes = [1, 2].map(seq => ({ seq, kind: 'order' as const, id: `"o${seq}"`, data }))
  const page = { feed: 'f', kinds: ['order' as const], changes, next: 2, more: false }
  const apply = () => copy.apply(1n, copy.position(1n), page)
  copy.db.exec('pragma max_page_count = 40')
  assert.throws(apply, /database or disk is full/)
  copy.db.exec('pragma max_page_count = 4000')
  assert.equal(apply(), 2)
  copy.close()
})

test('NDJSON: a second process that writes to the file is noticed', async () => {
  const file = join(folder, 'both.ndjson')
  const store = { id: 1, name: 'A', timezone: 'UTC' }
  const [one, two] = [await openNdjson(file), await openNdjson(file)]
  two.saveStores([store])
  assert.throws(() => one.saveStores([store]), /another process writes to .*both\.ndjson/)
  one.close()
  two.close()
})

test('NDJSON: a full disk is the error that is reported, also by the stores that are read beside', async () => {
  const file = join(folder, 'full.ndjson')
  const copy = await openNdjson(file)
  const store = { id: 1, name: 'A', timezone: 'UTC' }
  copy.saveStores([store])
  const { writeSync } = fs
  const write = mock.method(fs, 'writeSync', (output: number, bytes: Buffer, at: number) => {
    if (at > 0) throw new Error('ENOSPC: no space left on device, write')
    return writeSync(output, bytes, at, 5)
  })
  syncBuiltinESMExports()
  try {
    for (let each = 0; each < 2; each++) assert.throws(() => copy.saveStores([store]), /ENOSPC/)
  } finally {
    write.mock.restore()
    syncBuiltinESMExports()
  }
  copy.close()
  const again = await openNdjson(file)
  assert.deepEqual(again.storeIds(), [1n])
  again.close()
})

/** Calls `then` with the address of each answer of the API; the result stops it. */
function afterAnswers(then: (url: string) => void): () => void {
  const listen = ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    if (url.startsWith('/integration/')) response.once('finish', () => then(url))
  }
  world.server.app.server.on('request', listen)
  return () => void world.server.app.server.off('request', listen)
}

test('verify says complete while orders are stored', async () => {
  const pushes: Promise<void>[] = []
  const stop = afterAnswers(url => {
    if (pushes.length < 12)
      pushes.push(world.push(...many(`during ${pushes.length}`, 3), order('first 5', { order_number: url })))
  })
  await complete('all.db')
  stop()
  await Promise.all(pushes)
  assert.equal(pushes.length, 12)
})

test('killed again and again, in the first copy and in a walk of a new feed, it ends complete', async () => {
  const kill = async (pages: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let answers = 0
    const stop = afterAnswers(() => ++answers === pages && resolve())
    const child = startClient(args('mirror', 'killed.db', '--count', '3', '--parallel', '2'), world.reader)
    await promise
    child.kill('SIGKILL')
    await once(child, 'exit')
    stop()
  }
  for (const pages of [2, 5]) await kill(pages)
  assert.ok(query('killed.db', 'select 1 from orders').length > 0)
  await world.server.storage.changes.renewHistory()
  await kill(6)
  await mirror('killed.db')
  assert.deepEqual(copied('killed.db'), await held([1001, 1002, 1004, big]))
  await complete('killed.db')
})

test('two mirrors of one file at the same time give one copy', async () => {
  await Promise.all([mirror('both.db'), mirror('both.db')])
  assert.deepEqual(copied('both.db'), await held([1001, 1002, 1004, big]))
})

test('processes that make the same file at the same moment all open it', async () => {
  const files = Array.from({ length: 8 }, (_, n) => join(folder, `made-${n}.db`))
  const module = new URL('../../client/src/mirror/sqlite.ts', import.meta.url).href
  const begun = new Int32Array(new SharedArrayBuffer(4))
  const program = `
    const { workerData: { files, module, begun } } = require('node:worker_threads')
    import(module).then(async ({ openSqlite }) => {
      for (const [round, file] of files.entries()) {
        Atomics.add(begun, 0, 1)
        while (Atomics.load(begun, 0) < 2 * (round + 1)) await new Promise(setImmediate)
        const copy = await openSqlite(file)
        copy.close()
      }
    })`
  const workers = [1, 2].map(() => new Worker(program, { eval: true, workerData: { files, module, begun } }))
  try {
    // Rejects with the error of a worker.
    await Promise.all(workers.map(worker => once(worker, 'exit')))
  } finally {
    for (const worker of workers) await worker.terminate()
  }
})

test('a file whose journal another process is about to switch opens once that process is done', async () => {
  const file = join(folder, 'switched.db')
  const made = await openSqlite(file)
  made.db.exec('pragma journal_mode = delete')
  made.close()
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const opening = openSqlite(file)
  // Without waiting for the other process it fails within this time.
  await Promise.race([opening, setTimeout(50)])
  other.exec('commit')
  other.close()
  const copy = await opening
  assert.deepEqual(Object.values(copy.db.prepare('pragma journal_mode').get() ?? {}), ['wal'])
  copy.close()
})

test('--follow brings changes, new stores and a new feed as they come, and ends with a signal', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const running = runClient(args('mirror', 'all.db', '--follow'), world.reader, { signal })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await setTimeout(10)
  }
  const has = (id: string) => () => query('all.db', `select 1 from orders where id = '${id}'`).length === 1
  await world.push(order('followed'))
  await until(has('followed'))
  await world.push(sampleStore({ id: 1005 }), order('of a new store', { store_id: 1005 }))
  await world.server.apps.authorize(world.reader.client_id, [1005n], byTest)
  await world.push(order('after the new store', { store_id: 1005 }))
  await until(has('of a new store'))
  await world.server.storage.changes.renewHistory()
  await world.push(order('after the new feed'))
  const [feeds] = [() => query('all.db', 'select distinct feed from stores where removed_at is null').length]
  await until(has('after the new feed'))
  await until(() => feeds() === 1)
  controller.abort(new Error('stopped'))
  const { code, stdout } = await running
  assert.deepEqual([code, JSON.parse(stdout).complete], [0, true])
  assert.deepEqual(copied('all.db'), await held([1001, 1002, 1004, 1005, big]))
})
