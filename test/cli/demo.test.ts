import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Demo } from '../../src/cli/demo/fill.ts'
import { createAccounts } from '../../src/domain/accounts/accounts.ts'
import { createApps } from '../../src/domain/apps/apps.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createCli } from '../helpers/cli.ts'
import { isUntouched } from '../helpers/engine.ts'
import { byTest } from '../helpers/by.ts'

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
    } finally {
      await storage.close()
    }
  })

  test('a database that holds data is refused in one line that says what to do', async () => {
    const { code, stdout, stderr } = await cli.run(['demo', '--no-serve'])
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.match(
      stderr,
      /^tillgate: the database (?:\S+ )?already holds data; .*tillgate serve.* TILLGATE_DATABASE .*\n$/,
    )
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
  const bin = join(import.meta.dirname, '../../bin/tillgate.js')
  let server: ChildProcess | undefined
  after(async () => {
    if (server && server.exitCode === null) {
      const ended = new Promise(resolve => server?.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
    }
    cli.remove()
  })

  test('serves, and the commands it prints work as pasted', async () => {
    server = spawn(process.execPath, [bin, 'demo', '--orders', '600', '--days', '20'], {
      env: {
        PATH: process.env['PATH'],
        TILLGATE_DATABASE: cli.database,
        PORT: '0',
        TILLGATE_LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const printed = await untilReady(server)
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
})

/** All it printed up to the line that says that it serves. */
async function untilReady(child: ChildProcess): Promise<string> {
  let printed = ''
  // Left open: a server whose output nobody takes would fail on its next line.
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += String(chunk)
    if (/^Tillgate is ready at .*\n/m.test(printed)) return printed
  }
  throw new Error(`the demo ended before it served: ${printed}`)
}
