import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { openDatabase } from '../../src/storage/sqlite/connection/database.ts'
import { migrate as applyMigrations } from '../../src/storage/sqlite/schema/migrate.ts'
import { assertVersion } from '../../src/storage/sqlite/connection/pragmas.ts'
import { temporaryFolder } from './folder.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

const folder = temporaryFolder()
after(() => folder.remove())
const mode = (file: string) => statSync(file).mode & 0o777

test('the connection is durable, keeps its references and has pages of 16 KiB', async () => {
  const { connection } = await openDatabase(folder.newFile())
  const pragma = (name: string) => Object.values(connection.prepare(`pragma ${name}`).get() ?? {})[0]
  // The page size is that of the file once something is in it.
  connection.exec('create table t (a)')
  const found = ['synchronous', 'journal_mode', 'foreign_keys', 'page_size', 'temp_store'].map(pragma)
  assert.deepEqual(found, [2, 'wal', 1, 16384, 2])
  connection.close()
})

test('a SQLite that may lose commits is refused', () => {
  for (const old of ['3.51.2', '3.9.99', '2.99.99']) assert.throws(() => assertVersion(old), /needs 3\.51\.3/)
  for (const good of ['3.51.3', '3.52.0', '3.100.0', '4.0.0']) assertVersion(good)
})

test('the folder is made, and the files are for their owner only', async () => {
  const file = join(folder.newFile(), 'deep', 'down', 'tillgate.db')
  const storage = await openStorage(file)
  for (const name of [file, `${file}-wal`, `${file}-shm`]) assert.equal(mode(name), 0o600, name)
  await storage.close()
  assert.equal(existsSync(`${file}-wal`), false)
})

test('a new database behind a link is for its owner only, too', async () => {
  const [file, link] = [folder.newFile(), folder.newFile()]
  symlinkSync(file, link)
  const storage = await openStorage(link)
  assert.equal(mode(file), 0o600)
  await storage.close()
})

// Else another process could take itself for the last one and delete the write-ahead log that this one still uses.
test('opening the database again, as an ingest thread does, keeps its locks', {
  skip: process.platform !== 'linux',
}, async () => {
  const file = folder.newFile()
  const first = await openStorage(file)
  const locks = () => readFileSync('/proc/locks', 'utf8').includes(`:${statSync(file).ino} `)
  assert.equal(locks(), true)
  const second = await openStorage(file)
  assert.equal(locks(), true)
  await second.close()
  assert.equal(locks(), true)
  await first.close()
  assert.equal(locks(), false)
})

test('what was written is there after closing and opening again', async () => {
  const file = folder.newFile()
  const first = await openStorage(file)
  await first.revokedTokens.add('j', 100)
  await first.close()
  await first.close()
  const second = await openStorage(file)
  assert.equal(await second.revokedTokens.has('j'), true)
  await second.close()
})

test('migrate says the numbers before and after, and does nothing the second time', async () => {
  const file = folder.newFile()
  const first = await migrate(file)
  assert.equal(first.from, 0)
  assert.ok(first.to >= 1)
  assert.deepEqual(await migrate(file), { from: first.to, to: first.to })
})

test('two that find the same migrations to do apply each once', async () => {
  const file = folder.newFile()
  const both = [await openDatabase(file), await openDatabase(file)]
  // Both look before either writes: reading ends a turn.
  const done = await Promise.all(both.map(db => applyMigrations(db, 5)))
  assert.deepEqual(done[0], done[1])
  assert.equal(done[0]?.from, 0)
  for (const { connection } of both) connection.close()
})

test('a database of a later Tillgate is refused and left as it is', async () => {
  const file = folder.newFile()
  await migrate(file)
  const later = new DatabaseSync(file)
  later.exec("insert into schema_migrations (number, name, applied_at) values (9999, 'later', 0)")
  // Not closed: its log must not be written back by us either.
  const before = [file, `${file}-wal`].map(name => readFileSync(name))
  await assert.rejects(openStorage(file), /schema 9999; this version supports up to \d+/)
  await assert.rejects(migrate(file), /schema 9999/)
  assert.deepEqual(
    [file, `${file}-wal`].map(name => readFileSync(name)),
    before,
  )
  later.close()
  const closed = readFileSync(file)
  await assert.rejects(openStorage(file), /schema 9999/)
  assert.deepEqual(readFileSync(file), closed)
})

test('a database of something else, or no database, is refused and left as it is', async () => {
  const other = folder.newFile()
  const connection = new DatabaseSync(other)
  connection.exec('create table photos (id integer)')
  connection.close()
  const text = folder.newFile()
  writeFileSync(
    text,
    'not a database at all, but long enough to have a header of one hundred bytes'.repeat(10),
  )
  for (const [file, message] of [
    [other, /"photos"/],
    [text, /not a (SQLite )?database/],
  ] as const) {
    const before = readFileSync(file)
    await assert.rejects(openStorage(file), message)
    assert.deepEqual(readFileSync(file), before)
  }
})

test('a backup holds what was there, is private, and overwrites nothing', async () => {
  for (const source of [folder.newFile(), ':memory:']) {
    const storage = await openStorage(source)
    await storage.revokedTokens.add('j', 100)
    const target = folder.newFile()
    await storage.backup(target)
    assert.equal(mode(target), 0o600)
    const copied = readFileSync(target)
    await assert.rejects(storage.backup(target), /exists/)
    assert.deepEqual(readFileSync(target), copied)
    const copy = await openStorage(target)
    assert.equal(await copy.revokedTokens.has('j'), true)
    // Served without `restore`, it must not pass for the original.
    assert.notEqual(await copy.changes.history(), await storage.changes.history())
    assert.deepEqual(
      [(await copy.webhooks.sender()).paused, (await storage.webhooks.sender()).paused],
      [true, false],
    )
    await copy.close()
    await storage.close()
  }
})

test('a file that takes the backup’s name while it runs stays as it is', async () => {
  const storage = await openStorage(folder.newFile())
  const target = folder.newFile()
  const backup = storage.backup(target)
  writeFileSync(target, 'mine')
  await assert.rejects(backup, /exists; a backup does not overwrite a file/)
  assert.equal(readFileSync(target, 'utf8'), 'mine')
  await storage.close()
})

test('a backup is of the moment it began, whatever is written while it runs', async () => {
  const file = folder.newFile()
  const storage = await openStorage(file)
  const other = await openStorage(file)
  // Large enough to be copied in many steps, with writes in between.
  for (let i = 0; i < 200; i++) await storage.artifacts.put('code', `before${i}`, 'x'.repeat(200_000), 100)
  const target = folder.newFile()
  const state = { running: true }
  const backup = storage.backup(target).finally(() => {
    state.running = false
  })
  let written = 0
  // A copy that starts over at each write would end only after the last.
  while (state.running && written < 1000) {
    await other.artifacts.put('code', `during${written++}`, '', 100)
    await nextTurn()
  }
  await backup
  assert.ok(written > 0)
  const copy = await openStorage(target)
  assert.notEqual(await copy.artifacts.find('code', 'before199'), null)
  assert.equal(await copy.artifacts.find('code', 'during0'), null)
  for (const each of [storage, other, copy]) await each.close()
})

test('a full disk is StorageUnavailable; the write is rolled back and reads keep working', async () => {
  const db = await openDatabase(':memory:')
  db.connection.exec('create table t (a text); pragma max_page_count = 8')
  const insert = db.prepare('insert into t (a) values (?)')
  const count = db.prepare<{ n: number }>('select count(*) as n from t')
  await db.write(() => insert.run('small'))
  await assert.rejects(
    db.write(() => [insert.run('small'), insert.run('x'.repeat(1_000_000))]),
    (error: unknown) => error instanceof StorageUnavailable && error.message === 'the disk is full',
  )
  assert.equal(await db.snapshot(() => count.get()?.n), 1)
  await db.write(() => insert.run('small'))
  assert.equal(await db.snapshot(() => count.get()?.n), 2)
  db.connection.close()
})
