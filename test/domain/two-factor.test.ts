import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTwoFactor } from '../../src/domain/accounts/two-factor.ts'
import { noBrand } from '../../src/domain/brand/brand.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { account } from '../storage/suite/fixtures.ts'
import { openStorage } from '../helpers/storage.ts'

const day = 86_400
let storage: Storage
let now = Date.UTC(2026, 10, 16) / 1000

before(async () => {
  storage = await openStorage(await emptyDatabase())
})
after(() => storage.close())

test('codes: 5 attempts a minute and 100 a day for an account; recovery codes are not counted', async () => {
  const twoFactor = createTwoFactor({
    storage,
    clock: { now: () => now },
    switches: { isOn: async () => false },
    brand: { current: () => noBrand },
  })
  const ada = account('ada')
  const take = () => twoFactor.take(ada, '123 456')
  for (let minute = 0; minute < 20; minute++) {
    for (let i = 0; i < 5; i++) assert.equal(await take(), 0, `attempt ${5 * minute + i + 1}`)
    // The first minute alone: an attempt that is refused counts for the minute, not for the day.
    if (minute === 0) assert.equal(await take(), 60)
    now += 60
  }
  assert.equal(await take(), day - 20 * 60, 'seconds to the end of the day')
  assert.equal(await twoFactor.take(account('bob'), '123456'), 0, 'another account')
  assert.equal(await twoFactor.take(ada, 'abcd-efgh-ijkl-mnop'), 0, 'a recovery code')
  now += day - 20 * 60
  assert.equal(await take(), 0, 'the next day')
})
