import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { fillDemo } from '../../src/cli/demo/fill.ts'
import { createKeys } from '../../src/domain/keys.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { isPostgresUrl } from '../../src/lib/database-url.ts'
import { latencyBucketCount } from '../../src/lib/latency-buckets.ts'
import { type Copied, type CopyOptions, copyAll } from '../../src/storage/copy/run.ts'
import { tables } from '../../src/storage/shared/tables.ts'
import { platformOwner, type Storage } from '../../src/storage/port/index.ts'
import { account, app, highest, item, lowest, order, store, write } from './suite/fixtures.ts'
import { endpoint } from './suite/webhooks/fixtures.ts'
import { copyFrom, openCopy, openStorage } from '../helpers/storage.ts'

/** As `tillgate copy` does it. */
export const copy = (from: string, to: string, options: CopyOptions = {}): Promise<Copied | null> =>
  copyFrom(from, {}, async source => {
    const target = await openCopy(to)
    try {
      return await copyAll(source, target, options)
    } finally {
      await target.close()
    }
  })

export async function using<T>(database: string, use: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(database)
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

/** Every row of every table as sorted JSON, read by the drivers alone. */
export async function dump(database: string): Promise<Record<string, string[]>> {
  const all = isPostgresUrl(database) ? await postgresRows(database) : sqliteRows(database)
  return Object.fromEntries(
    tables.map(({ name }, i) => [
      name,
      (all[i] as object[]).map(row => JSON.stringify(Object.entries(row).map(written))).sort(),
    ]),
  )
}

const written = ([name, value]: [string, unknown]): [string, string | null] => [
  name,
  value === null ? null : String(typeof value === 'boolean' ? Number(value) : value),
]

async function postgresRows(url: string): Promise<object[][]> {
  const sql = postgres(url, { max: 1 })
  const all = await Promise.all(tables.map(({ name }) => sql.unsafe(`select * from ${name}`)))
  await sql.end()
  return all
}

function sqliteRows(file: string): object[][] {
  const connection = new DatabaseSync(file, { readOnly: true })
  const all = tables.map(({ name }) => {
    const statement = connection.prepare(`select * from ${name}`)
    statement.setReadBigInts(true)
    return statement.all()
  })
  connection.close()
  return all
}

/** More batches than are under way at the same time. */
export const manyOrders = 9000

/** A demo, and beside it a row of every table, with the values that are most easily lost. */
export async function populate(database: string, orders = manyOrders): Promise<void> {
  await using(database, async storage => {
    await fillDemo(storage, { stores: 2, orders: 200, days: 30, seed: 1, end: 1_793_534_400 })
    const keys = createKeys({ storage, clock: systemClock })
    await keys.signing()
    await keys.cookie()
    await people(storage)
    await records(storage, orders)
    await webhooks(storage)
  })
}

async function people(storage: Storage): Promise<void> {
  await storage.accounts.create(account('m', { email: 'm@x.example', disabled_at: 5 }))
  await storage.accounts.create(account('n', { email: 'n@x.example' }))
  const session = { account_id: 'n', password_hash: 'hash', created_at: 1, expires_at: 2 }
  await storage.sessions.create({ hash: 'kept', ...session })
  await storage.sessions.create({ hash: 'ended', ...session })
  const two_factor = { secret: 'SECRET', step: 7, recovery_hashes: ['r'], created_at: 1 }
  await storage.twoFactors.set('n', two_factor)
  const name = 'Ünï “códe” \ue000 😀 \\ \t\n\u001e\u001f'
  await storage.apps.create(app('ledger', { name, public: true, redirect_uris: ['https://a.example/,"'] }), {
    id: 'secret',
    app_id: 'ledger',
    hash: '',
    created_at: 0,
    last_used_at: null,
  })
  const link = { app_id: 'ledger', scope: 'integration.store' }
  await storage.authorizations.save({ ...link, id: 'm', account_id: 'm' }, [highest], 'replace', 9)
  await storage.authorizations.save({ ...link, id: 'o', account_id: null }, [lowest, highest], 'replace', 9)
  for (const hash of ['live', 'used', 'gone']) {
    await storage.artifacts.put('RefreshToken', hash, '{"a":"“"}', 2 ** 40)
  }
  await storage.artifacts.consume('RefreshToken', 'used', 77, [
    'RefreshToken',
    'follows',
    '{}',
    9_999_999_999,
  ])
  await storage.revokedTokens.add('j', 9)
  await storage.throttles.hit('sign-in m', 100, 120)
  await storage.switches.set('sign_up', true)
  await storage.brand.save({ name, accent: '#3451c6', support: null })
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  for (const owner of ['ledger', platformOwner]) {
    await storage.logos.set(owner, { type: 'image/webp', version: owner, content: bytes })
  }
  await usage(storage)
}

async function webhooks(storage: Storage): Promise<void> {
  await storage.webhooks.create(endpoint('we_1', { app_id: 'ledger' }), 10)
  const event = { type: 'webhook.test', store_id: null, body: '{}', created_at_ms: 2 ** 42 } as const
  await storage.webhooks.add({ ...event, endpoint_id: 'we_1', id: 'msg_1' })
  await storage.webhooks.setPaused('ledger', true)
}

async function usage(storage: Storage): Promise<void> {
  const bucket = { width: 3600, bucket: 7200 }
  const endpoint = 'GET /integration/v1/orders'
  await storage.usage.add({
    reads: [lowest, highest].map(store_id => ({
      ...bucket,
      store_id,
      app_id: 'ledger',
      requests: 1,
      orders: 2 ** 40,
      items: 3,
      sales: 0,
      last_at: 7201,
    })),
    requests: ['', 'ledger'].map(app_id => ({
      ...bucket,
      app_id,
      endpoint,
      requests: 9,
      client_errors: 1,
      server_errors: 2,
      latencies: Array.from({ length: latencyBucketCount }, (_, place) => place),
    })),
    ingest: [
      {
        ...bucket,
        requests: 1,
        stores: 2,
        items: 3,
        orders: 4,
        unchanged: 5,
        last_at: 7202,
        lagged: 0,
        lag_sum: 0,
        lag_max: 0,
        lag_last: null,
        newest_seq: 17,
      },
    ],
    log: ['first', 'second'].map((request_id, i) => ({
      app_id: 'ledger',
      at_ms: 2 ** 41,
      request_id,
      method: 'GET',
      endpoint,
      milliseconds: 1.234,
      status: 403,
      error_code: 'store_forbidden',
      store_id: i === 0 ? null : highest,
      query: i === 0 ? null : 'store_id=1&x=“😀”',
      problem: i === 0 ? null : 'No access\ncount: required',
    })),
  })
}

async function records(storage: Storage, orders: number): Promise<void> {
  const ids = [lowest, -1n, 9007199254740993n, highest]
  const doc = '{"name":"\\u0000 “😀” \ufffd","empty":""}'
  await write(storage, {
    stores: ids.map(id => store(id, { merchant: id === -1n ? 'm@x.example' : null, doc })),
    items: ids.flatMap(id => [item(id, lowest, { doc }), item(id, highest, { updated_at: -1 })]),
    orders: ids.flatMap(id => [
      // In this order by bytes, in another by UTF-16.
      ...['', '😀', '\uffff', 'a'].map(name => order(id, name, { doc, paid_at: -5, sold: '' })),
      order(id, 'sold', { sold: '7:1:2', paid_at: null, created_at: -(2 ** 40) }),
    ]),
    rollups: ids.map(id => ({
      store_id: id,
      width: 86_400,
      bucket: -86_400,
      item_id: lowest,
      lines: highest,
      units: lowest,
      nanos: -1n,
    })),
  })
  await storage.stores.activate(-1n, 'ledger', 1)
  await write(storage, {
    stores: [store(50n)],
    orders: Array.from({ length: orders }, (_, i) => order(50n, `O-${i}`, { created_at: 1000 + i })),
  })
}
