import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createThrottle, type Throttle } from '../../src/domain/accounts/throttle.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { testClock } from '../helpers/clock.ts'
import { emptyDatabase } from '../helpers/engine.ts'
import { openStorage } from '../helpers/storage.ts'

/** The other rules are tested where they are felt: test/http/throttle.test.ts, test/console/sign-in.test.ts. */

const clock = testClock()
const address = '192.0.2.1'
let storage: Storage
let throttle: Throttle

before(async () => {
  storage = await openStorage(await emptyDatabase())
  throttle = createThrottle('sign-in', { storage, clock })
})

// A new window for each test.
afterEach(() => clock.advance(60))

after(() => storage.close())

async function signIn(name: string, good: boolean): Promise<number> {
  const seconds = await throttle.count({ name, address })
  if (seconds === 0 && good) await throttle.forgive({ name, address })
  return seconds
}

test('good sign-ins never lock an address out, however many come from it in a minute', async () => {
  for (let i = 0; i < 250; i++) assert.equal(await signIn(`person${i}@example.com`, true), 0, `sign-in ${i}`)
})

test('the 101st failure from an address has to wait, and good sign-ins in between change nothing', async () => {
  for (let i = 0; i < 100; i++) {
    assert.equal(await signIn('own@example.com', true), 0, `own account, before failure ${i}`)
    assert.equal(await signIn(`victim${i}@example.com`, false), 0, `failure ${i}`)
  }
  assert.equal(await signIn('victim100@example.com', false), 60)
  assert.equal(await throttle.count({ name: 'victim100@example.com', address: '192.0.2.2' }), 0)
})

test('what was forgiven in one minute does not count for the next', async () => {
  for (let i = 0; i < 50; i++) await signIn('own@example.com', true)
  clock.advance(60)
  for (let i = 0; i < 100; i++) assert.equal(await signIn(`victim${i}@example.com`, false), 0)
  assert.equal(await signIn('victim100@example.com', false), 60)
})
