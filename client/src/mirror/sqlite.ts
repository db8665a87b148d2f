import type { DatabaseSync } from 'node:sqlite'
// As a whole: early versions of Node 20 lack crc32, and need it only here.
import zlib from 'node:zlib'
import { stringifyExact } from '../exact-json.ts'
import type { ChangeKind } from '../types.ts'
import { pause } from '../transport.ts'
import { type Copy, type Position, positionAfter } from './copy.ts'
import { applicationId, schema, schemaVersion, upgrades } from './schema.ts'

/** How long to wait for another process, in milliseconds. */
const busyTimeout = 10_000

export interface SqliteCopy extends Copy {
  db: DatabaseSync
}

/** A copy in a SQLite file. */
export async function openSqlite(file: string, { create = true } = {}): Promise<SqliteCopy> {
  const db = await openFile(file, create)
  const exact = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const putStore = db.prepare(`insert into stores (store_id, data) values (?, ?)
    on conflict (store_id) do update set data = excluded.data, removed_at = null`)
  const markRemoved = db.prepare(
    `update stores set removed_at = datetime('now') where store_id = ? and removed_at is null`,
  )
  const storeIds = exact('select store_id from stores where removed_at is null order by store_id')
  const findPosition = db.prepare(
    'select feed, seq as next, walk, complete, kinds from stores where store_id = ?',
  )
  const movePosition = db.prepare(`update stores set feed = ?, seq = ?, walk = ?, complete = ?, kinds = ?
    where store_id = ? and feed is ? and seq = ? and walk = ?`)
  const put = (table: string) =>
    db.prepare(`insert into ${table} (store_id, id, seq, walk, data, checksum) values (?, ?, ?, ?, ?, ?)
      on conflict (store_id, id) do update set
        seq = excluded.seq, walk = excluded.walk, data = excluded.data, checksum = excluded.checksum`)
  const putOrder = put('orders')
  const putItem = put('items')
  const sweep = (table: string) => db.prepare(`delete from ${table} where store_id = ? and walk <> ?`)
  const sweeps = { order: sweep('orders'), item: sweep('items') }
  const countAll = db.prepare(`with current as (select store_id from stores where removed_at is null)
    select (select count(*) from current) as stores,
      (select count(*) from orders where store_id in current) as orders,
      (select count(*) from items where store_id in current) as items`)

  /** False when another process has moved the position. */
  function move(store_id: bigint, from: Position, to: Position): boolean {
    const { feed, next, walk, complete, kinds } = to
    const values = [feed, next, walk, Number(complete), kinds.join()] as const
    const { changes } = movePosition.run(...values, store_id, from.feed, from.next, from.walk)
    return Number(changes) === 1
  }

  return {
    db,
    saveStores: stores =>
      transaction(db, () => {
        const listed = new Set(stores.map(({ id }) => BigInt(id)))
        for (const store of stores) putStore.run(BigInt(store.id), stringifyExact(store))
        for (const { store_id } of storeIds.all()) {
          if (!listed.has(store_id as bigint)) markRemoved.run(store_id as bigint)
        }
      }),
    remove: store_id => void markRemoved.run(store_id),
    storeIds: () => storeIds.all().map(({ store_id }) => store_id as bigint),
    position(store_id) {
      const row = (findPosition.get(store_id) ?? {}) as Record<string, never>
      const { feed, next, walk, complete, kinds } = row
      return {
        feed: feed ?? null,
        next: next ?? 0,
        walk: walk ?? 0,
        complete: complete === 1,
        kinds: kinds ? (String(kinds).split(',') as ChangeKind[]) : [],
      }
    },
    apply: (store_id, from, page, until = Number.MAX_SAFE_INTEGER) =>
      transaction(db, () => {
        const to = positionAfter(from, page, until)
        if (!move(store_id, from, to)) return null
        const changes = page.changes.filter(({ seq }) => seq <= until)
        for (const { kind, id, seq, data } of changes) {
          const rest = [seq, to.walk, data, checksumOf(data)] as const
          if (kind === 'order') putOrder.run(store_id, JSON.parse(id) as string, ...rest)
          else putItem.run(store_id, BigInt(id), ...rest)
        }
        // The walk has ended: of the kinds that it read, the server no longer has what it did not bring.
        if (to.complete && !from.complete && to.walk > 0)
          for (const kind of page.kinds) sweeps[kind].run(store_id, to.walk)
        return changes.length
      }),
    restart: (store_id, from) =>
      void move(store_id, from, { ...from, feed: null, next: 0, walk: from.walk + 1, complete: false }),
    counts: () => ({ ...countAll.get() }) as unknown as ReturnType<Copy['counts']>,
    close: () => db.close(),
  }
}

function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate')
  try {
    const result = work()
    db.exec('commit')
    return result
  } catch (error) {
    try {
      db.exec('rollback')
    } catch {
      // A full disk or an I/O error has rolled back by itself; Node 22.13 has no `isTransaction` to ask.
    }
    throw error
  }
}

function opened(open: () => DatabaseSync, file: string): DatabaseSync {
  try {
    return open()
  } catch (error) {
    throw new Error(`${file} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** To find a change, not to resist an attacker. */
export const checksumOf = (data: string): number => zlib.crc32(data)

async function openFile(file: string, create: boolean): Promise<DatabaseSync> {
  const { existsSync } = await import('node:fs')
  if (!create && !existsSync(file)) throw new Error(`${file} does not exist: make it with "mirror"`)
  const sqlite = await import('node:sqlite').catch(() => {
    const advice = 'a SQLite copy needs Node 22.13 or newer'
    throw new Error(`${advice}; this is ${process.version}. "mirror --format ndjson" runs on Node 20.`)
  })
  const db = opened(() => new sqlite.DatabaseSync(file), file)
  const pragma = (name: string) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]
  const isOurs = () => pragma('application_id') === applicationId
  const isCurrent = () => isOurs() && pragma('user_version') === schemaVersion
  try {
    db.exec(`pragma busy_timeout = ${busyTimeout}`)
    if (isOurs() && (pragma('user_version') as number) > schemaVersion)
      throw new Error('was made by a newer version')
    if (!isCurrent()) prepare(db, isOurs, isCurrent)
    await useWriteAheadLog(db)
    // A commit may be lost with the power, but data and position together.
    db.exec('pragma synchronous = normal')
    return db
  } catch (error) {
    db.close()
    throw new Error(`${file} is not a mirror: ${(error as Error).message}`, { cause: error })
  }
}

/** SQLite does not wait for another process that writes or makes the same switch: it fails at once as "locked". */
async function useWriteAheadLog(db: DatabaseSync): Promise<void> {
  const busy = 5
  for (const deadline = Date.now() + busyTimeout; ; ) {
    try {
      return db.exec('pragma journal_mode = wal')
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || Date.now() > deadline) throw error
    }
    await pause(10 + 10 * Math.random())
  }
}

/** Makes the tables, or adds what those of an older version lack. Another process may be about to do the same. */
function prepare(db: DatabaseSync, isOurs: () => boolean, isCurrent: () => boolean): void {
  transaction(db, () => {
    if (!isOurs() && db.prepare('select 1 from sqlite_schema').get())
      throw new Error('has tables of something else')
    if (isCurrent()) return
    const { user_version: version } = db.prepare('pragma user_version').get() as { user_version: number }
    db.exec(isOurs() ? upgrades.slice(version - 1).join('\n') : schema)
    db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}`)
  })
}
