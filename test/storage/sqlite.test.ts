import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import type { Storage } from '../../src/storage/port/index.ts'
import { temporaryFolder } from './folder.ts'
import { storageSuite } from './suite.ts'
import { openStorage } from '../helpers/storage.ts'

const folder = temporaryFolder()
after(() => folder.remove())

let file: string

// On disk: the tests of servers use databases in memory.
storageSuite('SQLite', openNew, async () => {
  const connection = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const kept = ['schema_migrations', 'feed', 'webhook_sender']
  const named = (type: string) =>
    connection.prepare('select name, tbl_name, sql from sqlite_schema where type = ?').all(type)
  const isFull = ({ name }: { name?: unknown }) =>
    !kept.includes(String(name)) && connection.prepare(`select 1 from ${name} limit 1`).get() !== undefined
  const full = named('table').filter(isFull)
  // The audit log refuses to lose a row.
  const guards = named('trigger').filter(({ tbl_name }) => full.some(({ name }) => name === tbl_name))
  connection.exec(`pragma synchronous = off; begin;
    ${guards.map(({ name }) => `drop trigger ${name};`).join('\n')}
    ${full.map(({ name }) => `delete from ${name};`).join('\n')}
    update webhook_sender set paused = 0, watermark = 0;
    ${guards.map(({ sql }) => `${sql};`).join('\n')}
    commit`)
  connection.close()
})

function openNew(): Promise<Storage> {
  file = folder.newFile()
  return openStorage(file)
}
