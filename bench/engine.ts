import { join } from 'node:path'
import { createServer } from '../test/helpers/postgres-server.ts'
import { administer } from '../test/helpers/postgres-admin.ts'
import { bareInserts } from './bare/sqlite.ts'
import type { BareOrder } from './bare/order.ts'
import { bareCopy } from './bare/postgres.ts'

/** A database engine as the benchmark uses it: empty databases, and the engine's fastest way to write documents. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  /** TILLGATE_DATABASE for an empty database. */
  empty(name: string): Promise<string>
  /** Brings a database that was just loaded into the state of one that has been in use for a while. */
  settle(database: string): Promise<void>
  /** Orders a second without Tillgate, `batch` orders in a durable transaction. */
  bareWrites(name: string, orders: readonly BareOrder[], batch: number): Promise<number>
  limitName: string
  close(): Promise<void>
}

export const sqliteEngine = (folder: string): Engine => ({
  name: 'sqlite',
  empty: async name => join(folder, `${name}.db`),
  settle: async () => {},
  bareWrites: async (name, orders, batch) => bareInserts(join(folder, `${name}.db`), orders, batch),
  limitName: 'inserted into bare SQLite',
  close: async () => {},
})

/** A PostgreSQL started here with fsync on, as in production; or the one that TEST_DATABASE names. */
export async function postgresEngine(): Promise<Engine> {
  const given = process.env['TEST_DATABASE']
  const server = given ? null : await createServer({ fsync: true })
  await server?.start()
  const url = given ?? server?.url ?? ''
  const empty = async (name: string): Promise<string> => {
    const database = `bench_${process.pid}_${name}`
    await administer(url, `drop database if exists ${database} with (force)`)
    await administer(url, `create database ${database}`)
    return new URL(database, url).href
  }
  return {
    name: 'postgres',
    empty,
    // As autovacuum does a minute after a load: without it an index-only scan reads the heap for every entry.
    settle: async database => void (await administer(database, 'vacuum (analyze)')),
    bareWrites: async (name, orders, batch) => bareCopy(await empty(name), orders, batch),
    limitName: 'into one bare table of PostgreSQL, by COPY, single orders by INSERT',
    close: async () => server?.remove(),
  }
}
