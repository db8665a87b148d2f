import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AuditEntry } from '../../src/storage/port/index.ts'
import { createCli } from '../helpers/cli.ts'
import { openStorage } from '../helpers/storage.ts'

/** `tillgate audit`: the log for people and for machines. */

const cli = await createCli()
after(cli.remove)

const entry = (i: number): AuditEntry => ({
  id: String(i).padStart(6, '0'),
  at: 1_793_534_400 + i,
  action: 'access_linked',
  actor_kind: 'account',
  actor_id: 'ada',
  actor_name: i === 7 ? 'bo@example.com' : 'ada@example.com',
  account_id: null,
  app_id: 'x',
  store_ids: [2n ** 63n - 1n, 7n],
  detail: null,
  address: '192.0.2.1',
  request_id: `r${i}`,
})

const storage = await openStorage(cli.database)
await storage.apps.create(
  {
    id: 'x',
    name: 'Ledger',
    website: null,
    publisher: null,
    scope: 'integration.store',
    redirect_uris: [],
    public: false,
    owner_id: null,
    created_at: 1,
    disabled_at: null,
    disabled_by_owner: false,
  },
  null,
)
for (let i = 0; i < 1100; i++) await storage.audit.append(entry(i))
await storage.close()

const lines = async (...args: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await cli.run(['audit', ...args])
  assert.deepEqual([code, stderr], [0, ''])
  return stdout.split('\n').slice(0, -1)
}

test('a sentence an entry, the newest fifty, newest first', async () => {
  const printed = await lines()
  assert.equal(printed.length, 50)
  assert.equal(
    printed[0],
    '2026-11-01 12:18:19  ada@example.com linked the app Ledger to the stores 9223372036854775807 and 7, from 192.0.2.1',
  )
  assert.match(printed[49] ?? '', /^2026-11-01 12:17:30 /)
})

test('--json: a JSON object a line, each entry whole, as many as --limit says', async () => {
  const printed = await lines('--json', '--limit', '1050')
  assert.equal(printed.length, 1050)
  assert.match(printed[0] ?? '', /"store_ids":\[9223372036854775807,7\]/)
  const ids = printed.map(line => (JSON.parse(line) as AuditEntry).id)
  assert.deepEqual(
    ids,
    Array.from({ length: 1050 }, (_, i) => String(1099 - i).padStart(6, '0')),
  )
  assert.equal((await lines('--json')).length, 1100, 'all without a limit')
})

test('--search: those about an email, an app, a store, an address or a request', async () => {
  assert.equal((await lines('--search', 'BO@')).length, 1)
  assert.equal((await lines('--search', 'r12')).length, 1)
  assert.equal((await lines('--search', 'nothing like it')).length, 0)
})

for (const limit of ['0', '-1', '1.5', 'all', '']) {
  test(`--limit ${JSON.stringify(limit)} is bad use`, async () => {
    const { code, stdout, stderr } = await cli.run(['audit', `--limit=${limit}`])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^tillgate: option '--limit <n>' argument .* is invalid\. .*\n$/)
  })
}

test('a reader that closes the pipe early causes no error', async () => {
  const { code, stderr } = await cli.spawn(['audit', '--limit', '1000000', '--json'], { closeStdout: true })
  assert.deepEqual([code, stderr], [0, ''])
})
