import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, describe, test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Demo } from '../../src/cli/demo/fill.ts'
import { demoFiles } from '../../src/cli/demo/saved.ts'
import { createAccounts } from '../../src/domain/accounts/accounts.ts'
import { createApps } from '../../src/domain/apps/apps.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Browser } from '../helpers/browser.ts'
import { createCli } from '../helpers/cli.ts'
import { type RunningDemo, startDemo } from '../helpers/demo.ts'
import { isUntouched, onPostgres, sqliteAlone } from '../helpers/engine.ts'
import { byTest } from '../helpers/by.ts'
import { openStorage } from '../helpers/storage.ts'

describe('tillgate demo --no-serve --json', async () => {
  const cli = await createCli()
  after(cli.remove)

  test('fills an empty database and prints who may sign in and who may read', async () => {
    const { code, stdout, stderr } = await cli.run(['demo', '--no-serve', '--json'])
    assert.equal(code, 0, stderr)
    assert.equal(stdout.trim().split('\n').length, 1)
    const demo = JSON.parse(stdout) as Demo
    assert.deepEqual(Object.keys(demo).toSorted(), [
      'app',
      'developer',
      'merchant',
      'operator',
      'platform',
      'stores',
    ])
    assert.deepEqual(demo.stores[0], {
      id: 1001,
      name: 'Harbour Street Café',
      timezone: 'Australia/Sydney',
      merchant: demo.merchant.email,
    })
    assert.equal(demo.stores.length, 6)

    const storage = await openStorage(cli.database)
    try {
      const accounts = createAccounts({ storage, clock: systemClock })
      for (const role of ['merchant', 'developer', 'operator'] as const) {
        assert.equal((await accounts.signIn(demo[role].email, demo[role].password, byTest))?.role, role)
      }
      const apps = createApps({ storage, clock: systemClock })
      for (const { client_id, client_secret } of [demo.app, demo.platform]) {
        assert.equal(await apps.verifySecret(client_id, client_secret), true)
      }
      const link = await storage.authorizations.findLive(demo.app.client_id, null)
      assert.deepEqual(
        await storage.authorizations.storeIds(link?.id ?? ''),
        demo.stores.map(({ id }) => BigInt(id)),
      )
      assert.equal(await storage.authorizations.findLive(demo.platform.client_id, null), null)
      // What merchants see of the apps that they may connect.
      const shown = (await storage.apps.list()).filter(({ owner_id }) => owner_id !== null)
      assert.deepEqual(shown.map(({ name }) => name).toSorted(), ['Demo dashboard', 'Harbour Ledger'])
      for (const { logo, website, publisher } of shown) assert.ok(logo && website && publisher)
    } finally {
      await storage.close()
    }
  })

  test('run again, it prints the same logins, secrets and stores', async () => {
    const first = JSON.parse((await cli.run(['demo', '--no-serve', '--json'])).stdout) as Demo
    const { code, stdout, stderr } = await cli.run(['demo', '--no-serve', '--stores', '7'])
    assert.equal(code, 0, stderr)
    assert.match(stderr, /--stores needs --reset: the data has 6\./)
    assert.match(stderr, /Using the data, logins and secrets of the last run; --reset starts over/)
    for (const text of [first.merchant.password, first.app.client_secret, first.platform.client_id]) {
      assert.ok(stdout.includes(text))
    }
    const saved = demoFiles(cli.database).saved
    assert.equal((await cli.run(['demo', '--no-serve', '--live'])).code, 2)
    if (onPostgres) return
    assert.equal(statSync(saved).mode & 0o777, 0o600, 'only the owner reads the passwords')
  })

  test('run again days later, its orders end at the present day', { skip: sqliteAlone }, async () => {
    const { saved } = demoFiles(cli.database)
    const before = JSON.parse(readFileSync(saved, 'utf8'))
    writeFileSync(saved, JSON.stringify({ ...before, until: before.until - 86_400 }))
    const count = () => {
      const db = new DatabaseSync(cli.database, { readOnly: true })
      const found = db.prepare('select count(*) as orders from orders').get()
      db.close()
      return Number(found?.['orders'])
    }
    const orders = count()
    await cli.json(['demo', '--no-serve'])
    assert.equal(count() - orders, 67, 'a day of 6000 orders in 90 days')
    await cli.json(['demo', '--no-serve'])
    assert.equal(count() - orders, 67, 'only once')
  })

  test('--reset starts over: other logins, and only the data of the new demo', async () => {
    const before = await cli.json<Demo>(['demo', '--no-serve'])
    const args = ['demo', '--no-serve', '--reset', '--stores', '2', '--orders', '20', '--days', '2']
    const after = await cli.json<Demo>(args)
    assert.notEqual(after.merchant.password, before.merchant.password)
    assert.equal(after.stores.length, 2)
    const storage = await openStorage(cli.database)
    try {
      assert.equal((await storage.apps.list()).length, 3)
      assert.equal(await storage.stores.exists(1003n), false)
    } finally {
      await storage.close()
    }
    assert.deepEqual(await cli.json<Demo>(['demo', '--no-serve']), after)
  })

  test('few orders, run again every hour: the hours without orders count together', {
    skip: sqliteAlone,
  }, async () => {
    const { saved } = demoFiles(cli.database)
    const untilAfter = async (back: number) => {
      const before = JSON.parse(readFileSync(saved, 'utf8'))
      writeFileSync(saved, JSON.stringify({ ...before, until: before.until - back }))
      await cli.json(['demo', '--no-serve'])
      return before.until - JSON.parse(readFileSync(saved, 'utf8')).until
    }
    assert.equal(await untilAfter(3600), 3600, 'an hour of ten orders a day has none')
    assert.equal(await untilAfter(86_400), -3600, 'a day has some, and the orders end at the present hour')
  })

  test('--reset refuses while another process uses the database', async () => {
    const other = await openStorage(cli.database)
    try {
      const { code, stderr } = await cli.run(['demo', '--no-serve', '--reset'])
      assert.equal(code, 1)
      assert.match(stderr, /^tillgate: another process uses the database.* stop every server.*\n$/)
    } finally {
      await other.close()
    }
  })

  test('a demo that was interrupted while it was filled says so, and --reset starts over', {
    skip: sqliteAlone,
  }, async () => {
    const broken = await createCli()
    try {
      const child = broken.start(['demo', '--no-serve', '--orders', '1000000'])
      const ended = once(child, 'exit')
      const { saved } = demoFiles(broken.database)
      for (; !existsSync(saved); await sleep(10)) assert.equal(child.exitCode, null)
      child.kill('SIGKILL')
      await ended
      const again = await broken.run(['demo', '--no-serve'])
      assert.deepEqual({ code: again.code, stdout: again.stdout }, { code: 1, stdout: '' })
      assert.match(
        again.stderr,
        /^tillgate: the demo was interrupted while it was filled; --reset starts over\n$/,
      )
      const args = ['demo', '--no-serve', '--reset', '--stores', '2', '--orders', '20', '--days', '2']
      assert.equal((await broken.json<Demo>(args)).stores.length, 2)
    } finally {
      broken.remove()
    }
  })

  test('data that is no demo’s is neither served nor deleted, with --reset too', async () => {
    const real = await createCli()
    const storage = await openStorage(real.database)
    try {
      const accounts = createAccounts({ storage, clock: systemClock })
      await accounts.create({ email: 'a@b.example', role: 'merchant', password: 'a long password' }, byTest)
    } finally {
      await storage.close()
    }
    // The file of another demo does not make it one.
    const { saved } = demoFiles(real.database)
    if (!onPostgres) copyFileSync(demoFiles(cli.database).saved, saved)
    for (const args of [
      ['demo', '--no-serve'],
      ['demo', '--no-serve', '--reset'],
    ]) {
      const { code, stdout, stderr } = await real.run(args)
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(
        stderr,
        /^tillgate: the database (?:\S+ )?already holds data that is not a demo’s; .*tillgate serve.* TILLGATE_DATABASE .*\n$/,
      )
    }
    const again = await openStorage(real.database)
    assert.equal(await again.isEmpty(), false)
    await again.close()
    real.remove()
  })
})

describe('bad use of tillgate demo', async () => {
  const cli = await createCli()
  after(cli.remove)
  for (const [option, value] of [
    ['--stores', '0'],
    ['--orders', '1e6'],
    ['--days', '-1'],
    ['--seed', 'abc'],
    ['--orders', '100000001'],
  ] as const) {
    test(`${option} ${value}`, async () => {
      const { code, stderr } = await cli.run(['demo', '--no-serve', `${option}=${value}`])
      assert.equal(code, 2)
      assert.match(stderr, /^tillgate: .* It must be a whole number from \d+ to \d+\.\n$/)
      assert.ok(await isUntouched(cli.database))
    })
  }
})

describe('tillgate demo', async () => {
  const cli = await createCli()
  let demo: RunningDemo | undefined
  after(async () => {
    await demo?.stop('SIGKILL')
    cli.remove()
  })

  test('serves, and the commands it prints work as pasted', async () => {
    demo = await startDemo(cli, ['--orders', '600', '--days', '20'])
    const { printed } = demo
    for (const path of ['/login', '/account/apps', '/developer/apps', '/docs', '/openapi.json']) {
      assert.ok(printed.includes(path), path)
    }
    const pasted = printed.slice(printed.indexOf('# Paste'), printed.indexOf('Tillgate is ready'))
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pasted])
    assert.equal(stderr, '')
    const [stores, orders, items, sales, written] = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { status: { ack: number }; data: unknown[] })
    for (const answer of [stores, orders, items, sales, written]) assert.equal(answer?.status.ack, 200)
    assert.equal(stores?.data.length, 6)
    assert.equal(orders?.data.length, 3)
    assert.equal(items?.data.length, 5)
    assert.ok((sales?.data.length ?? 0) > 0)
    assert.deepEqual(written?.data, { stores: 1, items: 0, orders: 0, unchanged: 0, stale: 0 })
  })

  test('a port in use is refused in one line that names it and another, before anything is stored', async () => {
    const other = await createCli()
    const { port } = new URL(demo?.base ?? '')
    const { code, stdout, stderr } = await other.run(['demo'], { env: { PORT: port } })
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(stderr, new RegExp(`^tillgate: another program uses port ${port}, .*PORT=\\d+ .*\\n$`))
    assert.ok(await isUntouched(other.database))
    other.remove()
  })

  test('two demos run beside each other, each with its example app; one sells with --live, and sends no webhook to this machine as a sandbox', async () => {
    const other = await createCli()
    const env = { TILLGATE_SANDBOX: '1' }
    const second = await startDemo(other, ['--orders', '20', '--days', '2', '--live'], env)
    await assertWebhooksToItself(second, 422)
    assert.ok(demo)
    await assertWebhooksToItself(demo, 201)
    const grant = new URLSearchParams({ grant_type: 'client_credentials', ...second.app('Dashboard') })
    const answer = await fetch(`${second.base}/auth/v2/token`, { method: 'POST', body: grant })
    const { access_token } = (await answer.json()) as { access_token: string }
    const heads = `${second.base}/integration/v1/changes/heads?wait=20`
    const headers = { authorization: `Bearer ${access_token}` }
    const etag = (await fetch(heads, { headers })).headers.get('etag') ?? ''
    const moved = await fetch(heads, { headers: { ...headers, 'if-none-match': etag } })
    assert.equal(moved.status, 200, 'a till has sold something')
    assert.notEqual(second.site, demo?.site)
    for (const site of [second.site, demo?.site]) {
      assert.match(await (await fetch(site ?? '')).text(), /Connect your stores/)
    }
    assert.equal(await second.stop(), 0)
    const saved = join(other.folder, relative(process.cwd(), demoFiles(other.database).saved))
    const { until } = JSON.parse(readFileSync(onPostgres ? saved : demoFiles(other.database).saved, 'utf8'))
    assert.ok(until > Date.now() / 1000 - 60, 'the next run adds no orders to the time of these sales')
    await assert.rejects(fetch(second.site), 'the example app ends with the demo')
    other.remove()
  })
})

/** What a developer's form answers for an endpoint on the machine of the demo, where only its example app may have one. */
async function assertWebhooksToItself(demo: RunningDemo, status: number): Promise<void> {
  const email = 'developer@demo.example'
  const browser = new Browser(demo.base)
  await browser.signIn(email, demo.password(email))
  const form = await browser.open(`/developer/apps/${demo.app('Dashboard').client_id}/webhooks`)
  const answer = await browser.submit(form, { url: 'http://127.0.0.1:9/', events: 'store.changed' })
  assert.equal(answer.status, status, answer.text)
}
