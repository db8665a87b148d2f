import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { createCli } from '../helpers/cli.ts'
import { administer } from '../helpers/postgres-admin.ts'
import { freshDatabase } from '../helpers/postgres.ts'

const cli = await createCli({ database: 'tillgate.db' })
after(() => cli.remove())
before(async () => void (await cli.json(['demo', '--no-serve', '--stores', '2', '--orders', '300'])))

const counts = { accounts: 4, apps: 3, stores: 2, orders: 300, removed: 0, checked: true }
const copy = (to: string, ...more: string[]) => ['copy', '--from', 'tillgate.db', '--to', to, ...more]

describe('tillgate copy', () => {
  test('moves everything to PostgreSQL and prints the counts as JSON; run again, it writes nothing', async () => {
    const target = await freshDatabase()
    const { items, written, ...rest } = await cli.json<Record<string, number>>(copy(target))
    assert.deepEqual(rest, counts)
    assert.ok(Number(items) > 0 && Number(written) > 300)
    assert.deepEqual(await cli.json(copy(target)), { ...counts, items, written: 0 })
    const env = { TILLGATE_DATABASE: target }
    const apps = await cli.json<object[]>(['app', 'list'], { env })
    assert.deepEqual(apps, await cli.json(['app', 'list']))
    assert.equal(apps.length, 3)
  })

  test('prints one line for a person, and from PostgreSQL to SQLite as well', async () => {
    const target = await freshDatabase()
    const line =
      /^4 accounts, 3 apps, 2 stores, \d+ items and 300 orders; \d+ rows written, 0 removed; the counts and checksums of every store are the same in both\n$/
    const there = await cli.run(copy(target))
    assert.match(there.stdout, line)
    assert.equal(there.code, 0)
    // Of a copy that takes longer than a second it shows how far it is.
    assert.match(there.stderr, /^(copy: .+\n)*$/)
    const back = await cli.run(['copy', '--from', target, '--to', 'back.db'])
    assert.deepEqual([back.code, back.stdout], [0, there.stdout])
  })

  test('--check compares, names the store that differs and exits with 1', async () => {
    const target = await freshDatabase()
    await cli.json(copy(target))
    const same = await cli.run(copy(target, '--check'))
    assert.match(same.stdout, /300 orders; nothing was copied; the counts and checksums of every store/)
    const [order] = await administer(
      target,
      'delete from orders where id = (select min(id) from orders) returning store_id',
    )
    const store = order?.['store_id']
    const { code, stdout, stderr } = await cli.run(copy(target, '--check'))
    assert.deepEqual([code, stdout], [1, ''])
    const lines = stderr.split('\n')
    assert.match(
      lines[0] ?? '',
      new RegExp(`^orders of store ${store}: \\d+ rows in the source, \\d+ in the target$`),
    )
    assert.deepEqual(lines.slice(1), [`tillgate: the target differs from the source: store ${store}`, ''])
  })

  test('Ctrl-C ends it between two batches; the next run carries on', async () => {
    const target = await freshDatabase()
    await cli.run(['migrate'], { env: { TILLGATE_DATABASE: target } })
    const sql = postgres(target)
    const child = await sql.begin(async tx => {
      // Everything before the orders is copied; then it waits.
      await tx`lock table orders in exclusive mode`
      const child = cli.start(copy(target))
      const waiting = () => sql`select 1 from pg_locks where relation = 'orders'::regclass and not granted`
      while ((await waiting()).length === 0) await sleep(10)
      child.kill('SIGINT')
      // Long enough for the signal to arrive.
      await sleep(1000)
      return child
    })
    await sql.end()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.deepEqual([code, stderr], [130, 'stopped; run the same command again to continue\n'])
    const { items: _, written, ...rest } = await cli.json<Record<string, number>>(copy(target))
    assert.deepEqual(rest, counts)
    assert.ok(Number(written) > 0)
  })

  test('--help says what it does', async () => {
    const { code, stdout } = await cli.run(['copy', '--help'])
    assert.equal(code, 0)
    for (const option of ['--from', '--to', '--check', '--json']) assert.ok(stdout.includes(option), option)
    assert.match((await cli.run(['--help'])).stdout, /\n {2}copy /)
  })
})

describe('tillgate copy fails in one line', () => {
  const unreachable = 'postgres://tillgate:hunter2@127.0.0.1:1/x'
  const failures = [
    { args: ['copy'], code: 2, message: /required option '--from <database>' not specified/ },
    { args: ['copy', '--from', 'tillgate.db'], code: 2, message: /required option '--to <database>'/ },
    {
      args: ['copy', '--from', 'none.db', '--to', 'new.db'],
      code: 1,
      message: /there is no database none\.db/,
    },
    { args: copy(unreachable), code: 1, message: /the database cannot be reached/ },
    {
      args: copy('mysql://root:hunter2@localhost/x'),
      code: 1,
      message: /a postgres:\/\/ URL or a file path/,
    },
    { args: copy(':memory:'), code: 1, message: /:memory: is lost when the command ends/ },
    { args: copy('tillgate.db'), code: 1, message: /already holds data that is not a copy/ },
  ]
  for (const { args, code, message } of failures) {
    test(args.join(' '), async () => {
      const outcome = await cli.run(args)
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''])
      assert.match(outcome.stderr, /^tillgate: [^\n]+\n$/)
      assert.match(outcome.stderr, message)
      assert.doesNotMatch(outcome.stderr, /hunter2/)
    })
  }

  test('nothing is made where there is nothing to copy', () => {
    assert.equal(existsSync(join(cli.folder, 'none.db')), false)
    assert.equal(existsSync(join(cli.folder, 'new.db')), false)
  })

  test('a target with data of its own', async () => {
    copyFileSync(join(cli.folder, 'tillgate.db'), join(cli.folder, 'mine.db'))
    const { code, stderr } = await cli.run(copy('mine.db'))
    assert.equal(code, 1)
    assert.equal(
      stderr,
      'tillgate: the target already holds data that is not a copy; copy into an empty database\n',
    )
  })
})
