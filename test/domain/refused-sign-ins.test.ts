import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefusedSignIns, maxRefusalsRecorded } from '../../src/domain/accounts/refused-sign-ins.ts'
import { databaseForEach } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'

test('the audit log grows by 1000 refused sign-ins an hour at most, from however many addresses', async t => {
  const storage = await openStorage(await databaseForEach())
  t.after(() => storage.close())
  let now = 3600 * 500_000
  const recordRefusal = createRefusedSignIns({ storage, clock: { now: () => now } })
  const { byAll } = maxRefusalsRecorded
  assert.equal(byAll, 1000)
  for (let i = 0; i < byAll + 5; i++)
    await recordRefusal(null, { address: `10.0.${i >> 8}.${i & 255}`, request_id: 'r' })
  const recorded = async () =>
    (await storage.audit.list({ action: 'sign_in_refused', limit: 2000, scan_limit: 2000 })).lines
  const lines = await recorded()
  assert.equal(lines.length, byAll)
  assert.deepEqual(
    lines.flatMap(({ detail, address }) => (detail === null ? [] : [[detail, address]])),
    [['the 1000th in this hour; further ones are not recorded', '10.0.3.231']],
  )
  now += 3600
  await recordRefusal(null, { address: '10.0.0.1', request_id: 'r' })
  assert.equal((await recorded()).length, byAll + 1)
})

test('this machine has no limit of its own: it may be a proxy with all clients behind it', async t => {
  const storage = await openStorage(await databaseForEach())
  t.after(() => storage.close())
  const recordRefusal = createRefusedSignIns({ storage, clock: { now: () => 3600 * 500_000 } })
  const count = maxRefusalsRecorded.byNetwork + 5
  for (let i = 0; i < count; i++) await recordRefusal(null, { address: '127.0.0.1', request_id: 'r' })
  const { lines } = await storage.audit.list({ action: 'sign_in_refused', limit: 100, scan_limit: 100 })
  assert.equal(lines.length, count)
})
