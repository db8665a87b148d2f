import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessClaim, OrderRow, Storage } from '../../src/storage/port/index.ts'
import { emptyTables, startPostgres } from '../helpers/postgres.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { type Pair, startPair, startWire } from '../helpers/replicated.ts'
import { entries, linked, order, readOn, write } from './suite/fixtures.ts'
import { reused } from './suite.ts'
import { listTests } from './suite/lists.ts'
import { restTests } from './suite/rest.ts'
import { salesTests } from './suite/sales.ts'
import { openStorage } from '../helpers/storage.ts'

/** Read replicas, with a real hot standby. */

let pair: Pair
before(async () => {
  pair = await startPair()
})
after(() => pair.remove())

const query = { store_id: 1n, field: 'created_at', from: 0, to: 99_999 } as const
const used = 'list pages come from the read replica'
const paused = /^the read replica is not used for now/

interface Reading {
  storage: Storage
  claim: AccessClaim
  url: string
  /** What the operator was told. */
  notices: { text: string; error: unknown }[]
  /** The ids of a page of orders, and the version that it says it has. */
  page(unless_version?: number | null): Promise<{ ids: string[] | null; version: number | undefined }>
  /** Asks until the replica is, or is no longer, the one that answers. */
  until(notice: string | RegExp): Promise<void>
}

interface Options {
  read_staleness?: number
  read_database?: string
  /** The way to the standby. */
  through?: string
  /** Does not wait until the replica is used. */
  immediate?: boolean
}

/** One connection to each server, so that what a session did last is what the last request did there. */
async function open(t: TestContext, options: Options = {}): Promise<Reading> {
  const { url, read_database: direct } = await pair.database()
  const { through, read_database = through ? new URL(new URL(url).pathname, through).href : direct } = options
  const notices: Reading['notices'] = []
  const storage = await openStorage(url, {
    database_pool: 1,
    read_staleness: options.read_staleness ?? 0,
    read_database,
    notice: (text, error) => notices.push({ text, error }),
  })
  t.after(() => storage.close())
  const claim = await linked(storage, [1n])
  await write(storage, { orders: [order(1n, 'a')] })
  await pair.caughtUp()
  const reading: Reading = {
    storage,
    claim,
    url,
    notices,
    async page(unless_version = null) {
      const { chunk, version } = await storage.orders.page({
        claim,
        query,
        offset: 0,
        limit: 1000,
        unless_version,
      })
      const ids = chunk && entries(chunk).map(entry => (entry as { order: string }).order)
      return { ids, version }
    },
    async until(notice) {
      const matches = (text: string) => (typeof notice === 'string' ? text === notice : notice.test(text))
      while (!matches(notices.at(-1)?.text ?? '')) {
        await reading.page()
        await sleep(10)
      }
    },
  }
  if (!options.immediate) await reading.until(used)
  return reading
}

/** Whether the last statement of Tillgate there read a page. */
async function readsPages(server: string, { url }: Reading): Promise<boolean> {
  const [row] = await administer(
    server,
    `select query like '%string_agg(entries.doc%' as page from pg_stat_activity
     where application_name = 'tillgate' and datname = '${new URL(url).pathname.slice(1)}'`,
  )
  return row?.['page'] === true
}

suite('a replica that follows', () => {
  test('serves the page, and the primary only the facts', async t => {
    const reading = await open(t)
    assert.deepEqual(await reading.page(), { ids: ['a'], version: 1 })
    assert.equal(await readsPages(pair.standby.url, reading), true)
    assert.equal(await readsPages(pair.primary.url, reading), false)
    assert.deepEqual(await reading.page(1), { ids: null, version: 1 })
  })

  test('that does not know a store yet leaves its page to the primary', async t => {
    const reading = await open(t)
    await pair.pause()
    t.after(pair.resume)
    const other = { ...query, store_id: 2n }
    await write(reading.storage, { stores: [{ id: 2n, name: '', timezone: '', merchant: null, doc: '{}' }] })
    await reading.storage.authorizations.save(
      {
        id: 'link',
        app_id: 'reader',
        account_id: null,
        scope: 'integration.store integration.order integration.inventory',
      },
      [2n],
      'add',
      1000,
    )
    const { facts, chunk } = await reading.storage.orders.page({
      claim: reading.claim,
      query: other,
      offset: 0,
      limit: 10,
    })
    assert.deepEqual([facts.store_allowed, entries(chunk)], [true, []])
  })
})

suite('a replica that is behind', () => {
  test('staleness 0: the page comes fresh from the primary; from the replica again when it has caught up', async t => {
    const reading = await open(t)
    await pair.pause()
    t.after(pair.resume)
    await write(reading.storage, { orders: [order(1n, 'b')] })
    assert.deepEqual(await reading.page(), { ids: ['a', 'b'], version: 2 })
    assert.deepEqual(await reading.page(1), { ids: ['a', 'b'], version: 2 })
    assert.deepEqual(await reading.page(2), { ids: null, version: 2 })
    await pair.resume()
    assert.deepEqual(await reading.page(), { ids: ['a', 'b'], version: 2 })
    assert.equal(await readsPages(pair.standby.url, reading), true)
    assert.equal(await readsPages(pair.primary.url, reading), false)
  })

  test('staleness 60: its page is taken, under its own version, so that the news is not taken for known', async t => {
    const reading = await open(t, { read_staleness: 60 })
    await pair.pause()
    t.after(pair.resume)
    await write(reading.storage, { orders: [order(1n, 'b')] })
    assert.deepEqual(await reading.page(), { ids: ['a'], version: 1 })
    assert.deepEqual(await reading.page(1), { ids: null, version: 1 })
    assert.deepEqual(await reading.page(2), { ids: null, version: 2 }, 'who has the news does not fall back')
    await pair.resume()
    assert.deepEqual(await reading.page(1), { ids: ['a', 'b'], version: 2 })
  })

  test('staleness 60: a revocation holds at the next request all the same', async t => {
    const { storage, page, claim } = await open(t, { read_staleness: 60 })
    await pair.pause()
    t.after(pair.resume)
    await storage.authorizations.revoke('link', 2000)
    const { facts, chunk } = await storage.orders.page({ claim, query, offset: 0, limit: 10 })
    assert.deepEqual([facts.store_allowed, chunk], [false, null])
    await storage.apps.setDisabled('reader', 2000)
    assert.equal((await page()).ids, null)
  })

  test('staleness 1: its page is taken for as long, by the time of the last write that it has', async t => {
    const reading = await open(t, { read_staleness: 1 })
    await pair.pause()
    t.after(pair.resume)
    const seenTo = 'select extract(epoch from pg_last_xact_replay_timestamp()) as seen'
    const seen = Number((await administer(pair.standby.url, seenTo))[0]?.['seen'])
    await write(reading.storage, { orders: [order(1n, 'b')] })
    let asked = 0
    let lastStale = seen
    for (;;) {
      asked = Date.now() / 1000
      if ((await reading.page()).version === 2) break
      lastStale = asked
      await sleep(20)
    }
    assert.ok(lastStale - seen <= 1.01, `a page ${lastStale - seen} s old`)
    assert.ok(Date.now() / 1000 - seen >= 1, `${asked - seen} s: too early for the primary`)
  })
})

suite('the rest of a page', () => {
  const rows = (count: number, from = 0): OrderRow[] =>
    Array.from({ length: count }, (_, i) => order(1n, `o${String(from + i).padStart(4, '0')}`))
  const ids = (read: unknown[]) => read.map(entry => (entry as { order: string }).order)

  async function begin({ storage, claim }: Reading) {
    const { chunk } = await storage.orders.page({ claim, query, offset: 0, limit: 10 })
    assert.ok(chunk)
    return {
      chunk,
      rest: () => readOn(chunk, after => storage.orders.more({ claim, query, after, limit: 10 })),
    }
  }

  test('comes from the replica when its beginning did', async t => {
    const reading = await open(t)
    await write(reading.storage, { orders: rows(30) })
    await pair.pause()
    t.after(pair.resume)
    const { rest } = await begin(reading)
    await write(reading.storage, { orders: rows(30, 30) })
    assert.deepEqual(ids(await rest()), ['a', ...rows(30).map(({ id }) => id)])
    assert.equal(await readsPages(pair.primary.url, reading), false)
  })

  test('comes from the primary when its beginning did: nothing that was there is left out', async t => {
    const reading = await open(t)
    await pair.pause()
    t.after(pair.resume)
    await write(reading.storage, { orders: rows(30) })
    const { rest } = await begin(reading)
    assert.deepEqual(ids(await rest()), ['a', ...rows(30).map(({ id }) => id)])
  })

  test('comes from the primary when the replica has an older version than its beginning had', async t => {
    const reading = await open(t)
    await write(reading.storage, { orders: rows(30) })
    await pair.pause()
    t.after(pair.resume)
    const { chunk } = await begin(reading)
    await write(reading.storage, { orders: rows(30, 30) })
    // As if the beginning had come from another standby, which is ahead of this one.
    const ahead = chunk.next?.map(part => (part === 31 ? 32 : part)) ?? []
    assert.notDeepEqual(ahead, chunk.next)
    const { rows: found } = await reading.storage.orders.more({
      claim: reading.claim,
      query,
      after: ahead,
      limit: 1000,
    })
    assert.equal(found, 51)
  })
})

suite('a replica that fails', () => {
  test('stopped: pages come from the primary at once; back again: they come from it again', async t => {
    const reading = await open(t)
    await pair.standby.stop('quit')
    const began = performance.now()
    assert.deepEqual(await reading.page(), { ids: ['a'], version: 1 })
    const took = performance.now() - began
    assert.ok(took < 2900, `${took} ms`)
    assert.match(reading.notices.at(-1)?.text ?? '', paused)
    assert.ok(reading.notices.at(-1)?.error instanceof Error)
    await reading.storage.ping()
    await pair.standby.start()
    await reading.until(used)
    await reading.page()
    assert.equal(await readsPages(pair.standby.url, reading), true)
  })

  test('silent: requests that wait for it get an answer in bounded time, and later ones do not wait', async t => {
    const wire = await startWire(pair.standby.url)
    t.after(wire.close)
    const reading = await open(t, { through: wire.url })
    wire.silent = true
    const times: number[] = []
    for (let i = 0; i < 20; i++) {
      const began = performance.now()
      assert.deepEqual(await reading.page(), { ids: ['a'], version: 1 })
      times.push(performance.now() - began)
    }
    const [first = 0, ...others] = times
    assert.ok(first < 6000, `${first} ms`)
    // Not each of them, because other tests keep the machine busy too.
    const waited = others.filter(ms => ms >= 900)
    assert.ok(waited.length < others.length / 2, `${waited} ms`)
    wire.silent = false
    await reading.until(used)
  })

  for (const { what, at, says } of [
    { what: 'the primary itself', at: async () => ({ through: pair.primary.url }), says: /not a standby/ },
    {
      what: 'another server',
      at: async () => ({ read_database: await startPostgres() }),
      says: /not a copy/,
    },
    {
      what: 'a closed port',
      at: async () => ({ read_database: 'postgres://u:p@127.0.0.1:1/d' }),
      says: /does not answer/,
    },
  ]) {
    test(`${what}: is logged once and never used`, async t => {
      const reading = await open(t, { immediate: true, ...(await at()) })
      await reading.until(paused)
      assert.match(String(reading.notices[0]?.error), says)
      assert.deepEqual(await reading.page(), { ids: ['a'], version: 1 })
      assert.equal(reading.notices.length, 1)
    })
  }
})

let inStep: string

/** Commits wait until the standby shows them, so that it serves every page of the suite. */
async function openInStep(): Promise<Storage> {
  const { url, read_database } = await pair.database()
  inStep = url
  await administer(
    url,
    `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = remote_apply`,
  )
  const told = Promise.withResolvers<string>()
  const storage = await openStorage(url, { database_pool: 4, read_database, notice: told.resolve })
  const nobody = { app_id: '', authorization_id: null, jti: '' }
  await storage.orders.page({ claim: nobody, query, offset: 0, limit: 1 })
  assert.equal(await told.promise, used)
  return storage
}

suite('PostgreSQL with a read replica', () => {
  const open = reused(openInStep, () => emptyTables(inStep))
  suite('lists', () => listTests(open))
  suite('the rest of a page', () => restTests(open))
  suite('sales', () => salesTests(open))
})
