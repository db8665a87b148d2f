import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createCli } from '../helpers/cli.ts'
import { emptyDatabase, postgresAlone, sqliteAlone } from '../helpers/engine.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { unprivileged } from '../helpers/postgres-server.ts'
import { migrate, openStorage } from '../helpers/storage.ts'

/** A database that cannot be used: said at the start in one line, with exit code 1, and left exactly as it is. */

describe('SQLite', { skip: sqliteAlone }, () => {
  // Root may do everything: what is about rights is tried by somebody who may not.
  const { folder, user } = unprivileged('tillgate-unusable-')
  let made = 0
  let whole: Buffer

  before(async () => {
    const file = newFile()
    await migrate(file)
    const connection = new DatabaseSync(file)
    connection.exec(`create table bulk (i integer primary key, noise text) strict;
      insert into bulk with recursive n (i) as (select 1 union all select i + 1 from n limit 3000)
      select i, hex(randomblob(200)) from n`)
    connection.close()
    whole = readFileSync(file)
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  const own = (path: string) => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
  }

  /** A path in a folder of its own. */
  function newFile(): string {
    const place = join(folder, String(++made))
    mkdirSync(place)
    own(place)
    return join(place, 'tillgate.db')
  }

  function write(bytes: Buffer): string {
    const file = newFile()
    writeFileSync(file, bytes)
    own(file)
    return file
  }

  const state = (file: string) =>
    readdirSync(join(file, '..')).map(name => [name, hash('sha1', readFileSync(join(file, '..', name)))])

  test('without the rights to it', async t => {
    const readOnly = write(whole)
    chmodSync(readOnly, 0o444)
    const unreadable = write(whole)
    chmodSync(unreadable, 0o000)
    const logless = write(whole)
    chmodSync(join(logless, '..'), 0o555)
    const missing = newFile()
    chmodSync(join(missing, '..'), 0o555)
    const files = [readOnly, unreadable, logless, missing]
    const before = files.map(state)
    const script = fileURLToPath(new URL('./processes/open.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...files], user).catch(error => {
      if (error.code === 'EACCES') t.skip('nobody else may run this Node')
      throw error
    })
    const said = JSON.parse(stdout)
    assert.match(
      said[readOnly],
      /^this user.* may not write to the database file .*: give this user the right/,
    )
    assert.match(said[unreadable], /^this user.* may not write to the database file /)
    assert.match(said[logless], /^this user.* may not write to the folder .*SQLite keeps its log beside/)
    assert.match(said[missing], /^this user.* may not write to the folder /)
    assert.deepEqual(files.map(state), before)
  })

  describe('damaged', () => {
    const damage: [name: string, bytes: () => Buffer, says: RegExp][] = [
      ['no database at all', () => Buffer.from('not a database '.repeat(1000)), /is not a SQLite database/],
      ['its first bytes overwritten', () => overwritten(whole, 0, 50), /is not a SQLite database/],
      ['cut off in the middle', () => whole.subarray(0, whole.length / 2), /is damaged \(.*malformed\)/],
      ['a page of zeros', () => zeroed(whole), /is damaged .*restore a backup: docs\/operations\.md/],
      ['a page of noise', () => overwritten(whole, whole.length - 3 * 16_384, 16_384), /is damaged/],
    ]
    for (const [name, bytes, says] of damage) {
      test(name, async () => {
        const file = write(bytes())
        const before = state(file)
        await assert.rejects(openStorage(file), says)
        await assert.rejects(migrate(file), says)
        assert.deepEqual(state(file), before)
      })
    }
  })

  test('a schema that is newer than the program', async () => {
    const file = write(whole)
    const connection = new DatabaseSync(file)
    connection.exec("insert into schema_migrations (number, name, applied_at) values (9999, 'later', 0)")
    connection.close()
    const before = state(file)
    await assert.rejects(openStorage(file), /the database has schema 9999; this version supports up to \d+/)
    assert.deepEqual(state(file), before)
  })

  const loading = (name: string) => ({
    NODE_OPTIONS: `--import ${new URL(`./processes/${name}.ts`, import.meta.url)}`,
  })
  const starts: [name: string, bytes: () => Buffer, env: Record<string, string>, says: RegExp][] = [
    ['a damaged file', () => zeroed(whole), {}, /is damaged/],
    [
      'an SQLite older than 3.51.3',
      () => whole,
      loading('old-sqlite'),
      /SQLite is 3\.51\.2; Tillgate needs 3\.51\.3/,
    ],
    [
      'an SQLite that does not flush each commit',
      () => whole,
      loading('careless-sqlite'),
      /synchronous is 1; it must be 2/,
    ],
  ]
  for (const [name, bytes, env, says] of starts) {
    test(`serve with ${name}: one line, exit code 1, the file as it was`, async () => {
      const file = write(bytes())
      const cli = await createCli({ database: file })
      const before = state(file)
      const { code, stdout, stderr } = await cli.spawn(['serve'], { env: { PORT: '0', ...env } })
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^tillgate: [^\n]+\n$/)
      assert.match(stderr, says)
      assert.deepEqual(state(file), before)
      cli.remove()
    })
  }
})

function overwritten(bytes: Buffer, from: number, length: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let i = 0; i < length; i++) copy[from + i] = (i * 89 + 17) % 256
  return copy
}

/** One in the middle of the largest table. */
function zeroed(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const page = Math.floor(bytes.length / 16_384) - 2
  copy.fill(0, page * 16_384, (page + 1) * 16_384)
  return copy
}

describe('PostgreSQL', { skip: postgresAlone }, () => {
  async function refuses(prepare: (url: string) => Promise<string>, says: RegExp): Promise<void> {
    const url = await emptyDatabase()
    await migrate(url)
    await assert.rejects(openStorage(await prepare(url)), (error: Error) => {
      assert.match(error.message, says)
      assert.doesNotMatch(error.message, /:test@|hunter2|\n/)
      return true
    })
  }
  const changed = (url: string, change: (url: URL) => void): string => {
    const copy = new URL(url)
    change(copy)
    return copy.href
  }

  test('a schema that is newer than the program', async () => {
    await refuses(async url => {
      await administer(
        url,
        `insert into schema_migrations (number, name, applied_at) values (9999, 'later', 0)`,
      )
      return url
    }, /schema 9999; this version supports up to \d+/)
  })

  test('a database that does not exist', () =>
    refuses(
      async url => changed(url, copy => (copy.pathname = '/nowhere')),
      /database "nowhere" does not exist/,
    ))

  test('a wrong password', () =>
    refuses(async url => changed(url, copy => (copy.password = 'hunter2')), /password authentication failed/))

  test('a server that is not there', () =>
    refuses(async url => changed(url, copy => (copy.port = '1')), /cannot be reached/))

  test('a server that would forget what was acknowledged', () =>
    refuses(async url => {
      await administer(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`)
      return url
    }, /synchronous_commit is off/))

  test('a role that may only read', () =>
    refuses(async url => {
      const role = `reader_${process.pid}`
      await administer(url, `create role ${role} login password 'hunter2'`)
      await administer(url, `alter role ${role} set default_transaction_read_only = on`)
      return changed(url, copy => {
        copy.username = role
        copy.password = 'hunter2'
      })
    }, /permission denied|read-only/))

  for (const workers of ['1', '2']) {
    test(`serve with ${workers} processes ends when a query of the start fails, in one line`, async t => {
      const cli = await createCli()
      t.after(cli.remove)
      await migrate(cli.database)
      await administer(cli.database, 'drop table brand')
      const server = cli.start(['serve'], { PORT: '0', TILLGATE_WORKERS: workers })
      t.after(() => server.kill('SIGKILL'))
      const stderr = text(server.stderr)
      const ended = await Promise.race([once(server, 'close'), sleep(60_000, 'still runs', { ref: false })])
      assert.deepEqual(ended, [1, null])
      assert.match(await stderr, /^tillgate: relation "brand" does not exist[^\n]*\n$/)
    })
  }

  test('serve says it in one line, with exit code 1', async () => {
    const cli = await createCli()
    const env = { TILLGATE_DATABASE: changed(cli.database, copy => (copy.password = 'hunter2')), PORT: '0' }
    const { code, stdout, stderr } = await cli.spawn(['serve'], { env })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^tillgate: password authentication failed[^\n]+\n$/)
    cli.remove()
  })
})
