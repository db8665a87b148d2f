import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createKeys } from '../../src/domain/keys.ts'
import { checkFeed } from '../../src/domain/reading/feed.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { type Cli, createCli } from '../helpers/cli.ts'
import { postgresAlone, sqliteAlone } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'

let cli: Cli
beforeEach(async () => {
  cli = await createCli()
})
afterEach(() => cli.remove())

/** What the command line left in a database. */
async function inspect<T>(database: string, read: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(database)
  try {
    return await read(storage)
  } finally {
    await storage.close()
  }
}

describe('migrate', () => {
  test('prints from → to, and the second time that nothing is left to do', async () => {
    const first = await cli.run(['migrate'])
    assert.equal(first.code, 0)
    assert.equal(first.stderr, '')
    const to = /^schema 0 → (\d+)\n$/.exec(first.stdout)?.[1]
    assert.ok(Number(to) >= 1, first.stdout)
    assert.equal((await cli.run(['migrate'])).stdout, `schema ${to} is up to date\n`)
  })

  test('--json prints from and to', async () => {
    const { from, to } = await cli.json<{ from: number; to: number }>(['migrate'])
    assert.equal(from, 0)
    assert.deepEqual(await cli.json(['migrate']), { from: to, to })
  })

  test('--citus, where there is none, is a failure in one line that says so', async () => {
    const { code, stdout, stderr } = await cli.run(['migrate', '--citus'])
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, /^tillgate: (only a postgres:\/\/ database|the database has no Citus)[^\n]+\n$/)
  })

  test('commands that start together on a new database all succeed', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => cli.spawn(['app', 'list', '--json'])))
    for (const outcome of outcomes) assert.deepEqual(outcome, { code: 0, stdout: '[]\n', stderr: '' })
  })
})

describe('keys rotate', () => {
  test('signs with the new key and keeps the one before', async () => {
    const first = await cli.json<{ kid: string }>(['keys', 'rotate'])
    const { code, stdout } = await cli.run(['keys', 'rotate'])
    assert.equal(code, 0)
    const second = /^new tokens are signed with the key ([\w-]{43})\n$/.exec(stdout)?.[1]
    const keys = await inspect(cli.database, storage => createKeys({ storage, clock: systemClock }).signing())
    assert.deepEqual(
      keys.map(key => key.id),
      [second, first.kid],
    )
  })

  test('prints nothing of the private key', async () => {
    const { stdout, stderr } = await cli.run(['keys', 'rotate', '--json'])
    const [key] = await inspect(cli.database, storage => storage.keys.list('sign'))
    const { d } = JSON.parse(key?.secret ?? '{}') as { d: string }
    assert.equal(d.length, 43)
    assert.ok(!`${stdout}${stderr}`.includes(d))
  })
})

test('a database that was not there is created, and the command says so', { skip: sqliteAlone }, async () => {
  const { code, stderr } = await cli.run(['webhook', 'stop'])
  assert.deepEqual(
    [code, stderr],
    [0, `there was no database ${cli.database}, so an empty one was created; check TILLGATE_DATABASE\n`],
  )
  assert.equal((await cli.run(['webhook', 'stop'])).stderr, '')
})

describe('feed renew', () => {
  test('gives the database a new history, prints the feed of all kinds and records who did it', async () => {
    const first = await cli.json<{ feed: string }>(['feed', 'renew'])
    assert.deepEqual(Object.keys(first), ['feed'])
    const { code, stdout, stderr } = await cli.run(['feed', 'renew'])
    assert.deepEqual([code, stderr], [0, ''])
    const second = /^the feed is now (\S+); apps that follow changes read their stores again\n$/
    const [, feed = ''] = second.exec(stdout) ?? []
    const [, history = ''] = /^([0-9a-f]{24,32})-oi$/.exec(feed) ?? []
    assert.notEqual(feed, first.feed)
    assert.doesNotThrow(() => checkFeed(feed, history, ['order', 'item']), 'as `feed` of a request')
    const claim = { app_id: 'none', jti: 'none', authorization_id: null }
    const query = { store_id: 1n, after: 0, kinds: ['order'] as const }
    await inspect(cli.database, async storage => {
      assert.equal((await storage.changes.page({ claim, query, limit: 1, count: 1 })).history, history)
      const { lines } = await storage.audit.list({ limit: 9, scan_limit: 10 })
      assert.deepEqual(
        lines.map(({ action, actor_kind }) => [action, actor_kind]),
        [
          ['feed_renewed', 'command'],
          ['feed_renewed', 'command'],
        ],
      )
    })
  })
})

describe('backup', { skip: sqliteAlone }, () => {
  test('copies the database while it is open elsewhere', async () => {
    const copy = join(cli.folder, 'copy.db')
    const made = await cli.json<{ client_id: string }>(['app', 'create', '--name', 'Ledger'])
    const result = await inspect(cli.database, () => cli.json(['backup', 'copy.db']))
    assert.deepEqual(result, { file: copy })
    const apps = await inspect(copy, storage => storage.apps.list())
    assert.deepEqual(
      apps.map(app => app.id),
      [made.client_id],
    )
  })

  test('says where the copy is', async () => {
    await cli.run(['migrate'])
    const copy = join(cli.folder, 'copy.db')
    const outcome = await cli.run(['backup', copy])
    assert.deepEqual(outcome, { code: 0, stdout: `backed up to ${copy}\n`, stderr: '' })
  })

  test('refuses a file that exists, the database itself above all, and leaves it alone', async () => {
    await cli.run(['migrate'])
    const file = join(cli.folder, 'precious')
    writeFileSync(file, 'last week’s backup')
    for (const existing of [file, cli.database]) {
      const outcome = await cli.run(['backup', existing])
      assert.deepEqual(outcome, {
        code: 1,
        stdout: '',
        stderr: `tillgate: ${existing} exists; a backup does not overwrite a file\n`,
      })
    }
    assert.equal(readFileSync(file, 'utf8'), 'last week’s backup')
    assert.equal((await cli.run(['migrate'])).code, 0)
  })

  test('creates no folder for the copy, and no database to copy', async () => {
    const target = join(cli.folder, 'no', 'such', 'copy.db')
    const nothing = await cli.run(['backup', 'copy.db'])
    assert.deepEqual(nothing, {
      code: 1,
      stdout: '',
      stderr: `tillgate: there is no database ${cli.database} to back up\n`,
    })
    await cli.run(['migrate'])
    const outcome = await cli.run(['backup', target])
    assert.deepEqual(outcome, {
      code: 1,
      stdout: '',
      stderr: `tillgate: the folder ${dirname(target)} does not exist; a backup creates no folders\n`,
    })
    const storage = await openStorage(cli.database)
    await assert.rejects(storage.backup(target), { code: 'ENOENT' })
    await storage.close()
    assert.deepEqual(readdirSync(cli.folder), [])
  })

  test('a place where no file can be is a failure in one line', async () => {
    const { code, stdout, stderr } = await cli.run(['backup', join(cli.database, 'copy.db')])
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, /^tillgate: [^\n]+\n$/)
  })
})

test('backup and restore of a PostgreSQL database are left to its own tools, in one line that says so', {
  skip: postgresAlone,
}, async () => {
  for (const [command, says] of [
    ['backup', /^tillgate: [^\n]*pg_dump[^\n]*\n$/],
    ['restore', /^tillgate: [^\n]*PostgreSQL[^\n]*docs\/operations\.md#restore\n$/],
  ] as const) {
    const { code, stdout, stderr } = await cli.run([command, 'copy.db'])
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, says)
  }
  assert.deepEqual(readdirSync(cli.folder), [])
})
