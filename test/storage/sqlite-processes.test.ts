import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageUnavailable } from '../../src/storage/port/index.ts'
import { temporaryFolder } from './folder.ts'
import { openStorage } from '../helpers/storage.ts'

const folder = temporaryFolder()
after(() => folder.remove())

function start(script: string, ...values: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'processes', script), ...values], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', data => {
    output += data
  })
  child.stderr.on('data', data => {
    errors += data
  })
  const lines = () => output.split('\n').slice(0, -1)
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    errors,
    lines: lines(),
  }))
  return { child, lines, ended }
}

test('several processes may create and migrate the same database at once', async () => {
  const file = folder.newFile()
  const results = await Promise.all([1, 2, 3, 4].map(() => start('migrate.ts', file).ended))
  const numbers = results.map(({ code, errors, lines }) => {
    assert.equal(code, 0, errors)
    return JSON.parse(lines[0] as string) as { from: number; to: number }
  })
  assert.equal(new Set(numbers.map(({ to }) => to)).size, 1)
  const connection = new DatabaseSync(file)
  const applied = connection
    .prepare('select number, name, applied_at from schema_migrations order by number')
    .all()
  connection.close()
  assert.equal(applied.length, numbers[0]?.to)
})

test('two processes write at once: every write is kept, each seen once', async () => {
  const file = folder.newFile()
  const results = await Promise.all([1, 2].map(() => start('hit.ts', file, '300').ended))
  for (const { code, errors } of results) assert.equal(code, 0, errors)
  const counts = results.flatMap(({ lines }) => lines.map(Number)).sort((a, b) => a - b)
  assert.deepEqual(
    counts,
    Array.from({ length: 600 }, (_, i) => i + 1),
  )
})

test('what was answered is there after the writer was killed', async () => {
  const file = folder.newFile()
  const { child, lines, ended } = start('hit.ts', file, '1000000')
  while (lines().length < 50) await once(child.stdout, 'data')
  child.kill('SIGKILL')
  const answered = Number((await ended).lines.at(-1))
  const storage = await openStorage(file)
  assert.ok((await storage.throttles.count('shared', 600)) >= answered)
  await storage.close()
})

test('while another process holds the lock, a write waits without blocking; reads go on', async () => {
  const file = folder.newFile()
  const storage = await openStorage(file)
  const other = new DatabaseSync(file)
  other.exec("begin immediate; insert into revoked_tokens (jti, expires_at) values ('theirs', 1)")
  let state = 'waiting'
  const waiting = storage.revokedTokens.add('ours', 1).then(
    () => void (state = 'done'),
    () => void (state = 'failed'),
  )
  // A write that blocks has used up its time, and failed, before the first of these.
  for (let turn = 0; turn < 10; turn++) await sleep(1)
  assert.equal(state, 'waiting')
  assert.equal(await storage.revokedTokens.has('theirs'), false)
  other.exec('commit')
  await waiting
  assert.deepEqual(await Promise.all(['ours', 'theirs'].map(jti => storage.revokedTokens.has(jti))), [
    true,
    true,
  ])
  other.close()
  await storage.close()
})

test('a lock that is not let go is StorageUnavailable, after the wait', async () => {
  const file = folder.newFile()
  const storage = await openStorage(file, { busy_timeout: 100 })
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  const began = performance.now()
  await assert.rejects(storage.revokedTokens.add('ours', 1), StorageUnavailable)
  const waited = performance.now() - began
  assert.ok(waited >= 90 && waited < 4000, `${waited} ms`)
  other.exec('rollback')
  await storage.revokedTokens.add('ours', 1)
  other.close()
  await storage.close()
})

test('facts and page are of one moment, though another process commits between', async () => {
  const file = folder.newFile()
  const storage = await openStorage(file)
  const none = { store_ids: [], items: [], orders: [] }
  const store = { id: 1n, name: 'S', timezone: 'UTC', merchant: null, doc: '{}' }
  await storage.records.write(none, () => ({ stores: [store], items: [], orders: [], rollups: [] }))
  const app = {
    id: 'a',
    name: 'A',
    scope: 'integration.store integration.order integration.inventory',
    redirect_uris: [],
    public: false,
    website: null,
    publisher: null,
    owner_id: null,
  }
  await storage.apps.create({ ...app, created_at: 1, disabled_at: null, disabled_by_owner: false }, null)
  await storage.authorizations.save(
    {
      id: 'x',
      app_id: 'a',
      account_id: null,
      scope: 'integration.store integration.order integration.inventory',
    },
    [1n],
    'add',
    1,
  )
  const writer = start('orders.ts', file, '300')
  const claim = { app_id: 'a', authorization_id: null, jti: 'j' }
  const query = { store_id: 1n, field: 'created_at', from: 0, to: 9 } as const
  let reads = 0
  const state = { running: true }
  void writer.ended.then(() => {
    state.running = false
  })
  while (state.running) {
    // Every batch adds one order and raises the version by one, so the two always agree.
    const { facts, chunk } = await storage.orders.page({ claim, query, offset: 0, limit: 2000 })
    assert.equal(chunk?.rows, facts.store?.orders_version)
    if (++reads % 50 === 0) await sleep(0)
  }
  const { code, errors } = await writer.ended
  assert.equal(code, 0, errors)
  assert.equal((await storage.orders.page({ claim, query, offset: 0, limit: 2000 })).chunk?.rows, 300)
  await storage.close()
})
