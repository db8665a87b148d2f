import assert from 'node:assert/strict'
import { on, once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { mountSmallDisk } from '../../torture/small-disk.ts'
import { readMigrations } from '../../src/storage/shared/migrations.ts'
import { type Cli, createCli } from '../helpers/cli.ts'

const root = mkdtempSync(join(tmpdir(), 'tillgate-restore-'))
after(() => rmSync(root, { recursive: true, force: true }))

let cli: Cli
beforeEach(async () => {
  const database = join(mkdtempSync(join(root, 'data-')), 'tillgate.db')
  cli = await createCli({ database })
})
afterEach(() => cli.remove())

const createApp = (name: string) => cli.json(['app', 'create', '--name', name])
const names = async () => (await cli.json<{ name: string }[]>(['app', 'list'])).map(({ name }) => name).sort()
const beside = () => readdirSync(dirname(cli.database)).sort()

/** Damages the first bytes, which SQLite reads first, or those of a later page. */
function damage(file: string, position = 0): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096, 0xff), 0, 4096, position)
  closeSync(descriptor)
}

async function refused(
  args: readonly string[],
  says: RegExp,
  env: Record<string, string> = {},
): Promise<void> {
  const { code, stdout, stderr } = await cli.run(['restore', ...args], { env })
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^tillgate: [^\n]+\n$/)
  assert.match(stderr, says)
}

describe('restore', () => {
  let backup: string
  beforeEach(async () => {
    await createApp('Before')
    backup = join(cli.folder, 'backup.db')
    await cli.run(['backup', backup])
    await createApp('After')
  })

  test('puts the backup back, keeps the former database beside it, and says so', async () => {
    const content = readFileSync(backup)
    const { code, stdout, stderr } = await cli.run(['restore', backup])
    const [, replaced = ''] = /^restored \S+; the former database is (\S+)\n$/.exec(stdout) ?? []
    assert.equal(code, 0)
    assert.match(
      stderr,
      /^Access that was revoked after the backup works again[^\n]+\nThis database sends no webhooks[^\n]+\n$/,
    )
    assert.match(replaced, /tillgate\.db\.replaced-\d{8}T\d{6}Z$/)
    assert.deepEqual(await names(), ['Before'])
    assert.deepEqual(
      (await cli.json<{ name: string }[]>(['app', 'list'], { env: { TILLGATE_DATABASE: replaced } })).length,
      2,
    )
    assert.equal(statSync(cli.database).mode & 0o777, 0o600)
    assert.deepEqual(readFileSync(backup), content)
    assert.deepEqual(readdirSync(cli.folder), ['backup.db'], 'no -wal or -shm beside the backup')
    assert.deepEqual(
      beside().filter(name => name.includes('partial') || /-(wal|shm|journal)$/.test(name)),
      [],
    )
  })

  test('--json prints the paths and the schema numbers; twice within a second keeps both', async () => {
    const first = await cli.json<{ file: string; replaced: string; from: number; to: number }>([
      'restore',
      backup,
    ])
    const second = await cli.json<typeof first>(['restore', backup])
    assert.deepEqual([first.file, first.from, first.to], [cli.database, second.from, second.to])
    assert.notEqual(first.replaced, second.replaced)
    assert.ok(existsSync(first.replaced) && existsSync(second.replaced))
  })

  test('the restored database calls no endpoint until webhooks are resumed', async () => {
    await cli.json(['restore', backup])
    const connection = new DatabaseSync(cli.database, { readOnly: true })
    assert.equal(connection.prepare('select paused from webhook_sender').get()?.['paused'], 1)
    connection.close()
  })

  test('gives the database a new history each time, so that apps notice that changes are gone', async () => {
    const history = (file: string) => {
      const connection = new DatabaseSync(file, { readOnly: true })
      const row = connection.prepare('select history from feed').get()
      connection.close()
      return row?.['history']
    }
    const found = [history(backup)]
    for (let i = 0; i < 2; i++) {
      await cli.json(['restore', backup])
      found.push(history(cli.database))
    }
    assert.equal(new Set(found).size, 3)
    assert.equal(history(backup), found[0])
  })

  test('creates the database where there is none, with its folder', async () => {
    const database = join(cli.folder, 'new', 'folder', 'tillgate.db')
    const env = { TILLGATE_DATABASE: database }
    const { replaced, file } = await cli.json<{ replaced: null; file: string }>(['restore', 'backup.db'], {
      env,
    })
    assert.deepEqual([replaced, file], [null, database])
    assert.deepEqual(readdirSync(dirname(database)), ['tillgate.db'])
  })

  test('replaces a damaged database', async () => {
    damage(cli.database)
    const { replaced } = await cli.json<{ replaced: string }>(['restore', backup])
    assert.deepEqual(await names(), ['Before'])
    assert.equal(readFileSync(replaced)[0], 0xff)
  })

  test('a log whose database is gone is moved away, not applied to the new one', async () => {
    rmSync(cli.database)
    writeFileSync(`${cli.database}-wal`, 'the log of another database')
    const { replaced } = await cli.json<{ replaced: null }>(['restore', backup])
    assert.equal(replaced, null)
    assert.deepEqual(await names(), ['Before'])
    const kept = beside().find(name => /\.replaced-\w+-wal$/.test(name)) ?? ''
    assert.equal(readFileSync(join(dirname(cli.database), kept), 'utf8'), 'the log of another database')
  })

  test('keeps what a killed server left in its write-ahead log', async () => {
    const server = cli.start(['serve'], { PORT: '0' })
    await once(server.stdout, 'data')
    await createApp('In the log')
    server.kill('SIGKILL')
    await once(server, 'close')
    assert.ok(existsSync(`${cli.database}-wal`))
    const { replaced } = await cli.json<{ replaced: string }>(['restore', backup])
    const kept = new DatabaseSync(replaced, { readOnly: true })
    const found = kept.prepare('select name from apps order by name').all()
    kept.close()
    assert.deepEqual(
      found.map(({ name }) => name),
      ['After', 'Before', 'In the log'],
    )
    assert.deepEqual(await names(), ['Before'])
  })

  test('refuses while a server uses the database, damaged or not, and leaves it as it is', async () => {
    const server = cli.start(['serve'], { PORT: '0' })
    try {
      await once(server.stdout, 'data')
      await refused([backup], /another process uses the database .*; stop every server/)
      assert.deepEqual(await names(), ['After', 'Before'])
      damage(cli.database)
      await refused([backup], /another process uses the database/)
    } finally {
      server.kill('SIGKILL')
      await once(server, 'close')
    }
    assert.deepEqual(
      beside().filter(name => /replaced|partial/.test(name)),
      [],
    )
  })

  test('killed while it copies, it leaves the former database as it was', async () => {
    const watcher = watch(dirname(cli.database))
    const child = cli.start(['restore', backup])
    for await (const [, name] of on(watcher, 'change')) {
      if (String(name).endsWith('.partial')) break
    }
    child.kill('SIGKILL')
    await once(child, 'close')
    watcher.close()
    assert.deepEqual(await names(), ['After', 'Before'])
    await cli.json(['restore', backup])
    assert.deepEqual(await names(), ['Before'])
  })

  test('on a full disk it fails in one line that says what to do, and leaves the former database alone', async t => {
    const disk = mountSmallDisk(Math.ceil(statSync(backup).size / 1024 ** 2) + 4)
    if (disk === null) return t.skip('only root may mount a small disk')
    try {
      const database = join(disk.folder, 'tillgate.db')
      const env = { TILLGATE_DATABASE: database }
      await cli.json(['restore', backup], { env })
      // What is left: half of what the copy needs, all of it and not its log, nothing.
      for (const left of [statSync(backup).size / 2, statSync(backup).size + 4096, 0]) {
        rmSync(join(disk.folder, 'filler'), { force: true })
        const { bavail, bsize } = statfsSync(disk.folder)
        writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(bavail * bsize - left))
        const { code, stderr } = await cli.run(['restore', backup], { env })
        assert.equal(code, 1)
        assert.match(
          stderr,
          /^tillgate: the disk is full: restoring takes \d+ MB in \S+, which has \d+ MB free; delete [^\n]+ Nothing was changed\n$/,
        )
        assert.deepEqual(readdirSync(disk.folder).sort(), ['filler', 'tillgate.db'])
      }
      assert.equal((await cli.run(['doctor'], { env })).stdout.includes('PROBLEM  durability'), false)
    } finally {
      disk.remove()
    }
  })

  test('a link to the database stays a link', async () => {
    const link = join(cli.folder, 'link.db')
    symlinkSync(cli.database, link)
    await cli.json(['restore', backup], { env: { TILLGATE_DATABASE: link } })
    assert.deepEqual(await names(), ['Before'])
    assert.deepEqual(readdirSync(cli.folder).sort(), ['backup.db', 'link.db'])
  })

  test('a backup of an earlier schema is migrated, of a later one refused', async () => {
    const { to } = await cli.json<{ to: number }>(['migrate'])
    const later = new DatabaseSync(backup)
    later.exec(`insert into schema_migrations values (${to + 1}, 'later', 0)`)
    later.close()
    await refused([backup], new RegExp(`schema ${to + 1}; this version supports up to ${to}`))
    const [first] = readMigrations(join(import.meta.dirname, '../../src/storage/sqlite/schema'))
    const file = join(cli.folder, 'first.db')
    const earlier = new DatabaseSync(file)
    earlier.exec(`${first?.sql}; create table schema_migrations (number integer primary key, name text, applied_at integer);
      insert into schema_migrations values (1, '${first?.name}', 0)`)
    earlier.close()
    const restored = await cli.json<{ from: number; to: number }>(['restore', file])
    assert.deepEqual([restored.from, restored.to], [1, to])
    assert.deepEqual(await cli.json(['migrate']), { from: to, to })
    assert.deepEqual(await names(), [])
  })

  test('refuses what is no intact backup, before it touches the database', async () => {
    const file = join(cli.folder, 'x.db')
    await refused([file], /there is no file/)
    await refused([cli.folder], /is a folder/)
    await refused([cli.database], /is the database itself/)
    writeFileSync(file, 'a text that is long enough to have a header of its own'.repeat(10))
    await refused([file], /is not a SQLite database/)
    writeFileSync(file, '')
    await refused([file], /is not a Tillgate database/)
    const other = new DatabaseSync(file)
    other.exec('create table schema_migrations (version text)')
    other.close()
    await refused([file], /is not a Tillgate database/)
    damage(backup, statSync(backup).size - 16_384)
    await refused([backup], /backup\.db is damaged \(.*\); restore another backup/)
    assert.deepEqual(await names(), ['After', 'Before'])
    assert.deepEqual(beside(), ['tillgate.db'])
    await refused([backup], /:memory:/, { TILLGATE_DATABASE: ':memory:' })
  })

  test('a process that opened the former file in time cannot write beside the new one', async () => {
    const early = new DatabaseSync(cli.database)
    await cli.json(['restore', backup])
    assert.throws(() => early.exec('pragma journal_mode = wal'), { errcode: 1032 })
    early.close()
    assert.deepEqual(
      beside().filter(name => /-(wal|shm|journal)$/.test(name)),
      [],
    )
  })

  test('doctor leaves nothing beside a backup, and says that it is fine', async () => {
    mkdirSync(join(cli.folder, 'b'))
    const alone = join(cli.folder, 'b', 'backup.db')
    await cli.run(['backup', alone])
    const { checks } = await cli.json<{ checks: { name: string; state: string }[] }>(
      ['doctor', '--thorough'],
      {
        env: { TILLGATE_DATABASE: alone },
      },
    )
    assert.deepEqual(
      checks
        .filter(({ name }) => ['database', 'schema', 'durability'].includes(name))
        .map(({ state }) => state),
      ['ok', 'ok', 'ok'],
    )
    assert.deepEqual(readdirSync(dirname(alone)), ['backup.db'])
  })
})
