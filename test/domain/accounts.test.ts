import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Accounts, createAccounts } from '../../src/domain/accounts/accounts.ts'
import type { Storage } from '../../src/storage/port/index.ts'
import { databaseForEach } from '../helpers/engine.ts'
import { byTest } from '../helpers/by.ts'
import { openStorage } from '../helpers/storage.ts'

const now = 1_800_000_000
const password = 'correct horse battery'
const olivia = { email: 'olivia@example.com', role: 'merchant', password } as const

let storage: Storage
let accounts: Accounts

beforeEach(async () => {
  storage = await openStorage(await databaseForEach())
  accounts = createAccounts({ storage, clock: { now: () => now } })
})
afterEach(() => storage.close())

test('an account is stored with its role and time, and the password only as a hash', async () => {
  const made = await accounts.create(olivia, byTest)
  const stored = await storage.accounts.findByEmail('olivia@example.com')
  assert.deepEqual(stored, made)
  assert.equal(made.role, 'merchant')
  assert.equal(made.created_at, now)
  assert.equal(made.disabled_at, null)
  assert.ok(!JSON.stringify(stored).includes(password))
})

test('an email is stored trimmed and in lower case, and signs in however it is written', async () => {
  const made = await accounts.create({ ...olivia, email: '  Olivia@Example.COM ' }, byTest)
  assert.equal(made.email, 'olivia@example.com')
  assert.equal((await accounts.signIn(' OLIVIA@example.com', password, byTest))?.id, made.id)
})

test('an email that is taken is refused, also in other letters', async () => {
  await accounts.create(olivia, byTest)
  await assert.rejects(accounts.create({ ...olivia, email: 'OLIVIA@example.com' }, byTest), {
    name: 'InputError',
    field: 'email',
    message: 'an account with the email olivia@example.com already exists',
  })
})

for (const email of [
  '',
  '   ',
  'olivia',
  '@example.com',
  'olivia@',
  'a@b@c',
  'a b@example.com',
  'a@b\u0000c',
  'a\n@b',
]) {
  test(`the email ${JSON.stringify(email)} is refused`, async () => {
    await assert.rejects(accounts.create({ ...olivia, email }, byTest), {
      name: 'InputError',
      field: 'email',
    })
  })
}

test('an email has at most 254 characters', async () => {
  const domain = '@example.com'
  const longest = 'a'.repeat(254 - domain.length) + domain
  assert.equal((await accounts.create({ ...olivia, email: longest }, byTest)).email, longest)
  await assert.rejects(accounts.create({ ...olivia, email: `b${longest}` }, byTest), {
    field: 'email',
    message: 'the email has 255 characters; the maximum is 254',
  })
})

test('a password has 10 to 1024 characters, counted as people count them', async () => {
  const lengths: [password: string, fine: boolean][] = [
    ['', false],
    ['a'.repeat(9), false],
    ['a'.repeat(10), true],
    ['🔑'.repeat(9), false],
    ['🔑'.repeat(10), true],
    ['a'.repeat(1024), true],
    ['a'.repeat(1025), false],
  ]
  for (const [index, [candidate, fine]] of lengths.entries()) {
    const attempt = accounts.create({ ...olivia, email: `${index}@example.com`, password: candidate }, byTest)
    if (fine) await attempt
    else await assert.rejects(attempt, { name: 'InputError', field: 'password', message: /10 to 1024/ })
  }
})

test('the message about a bad password does not repeat it', async () => {
  await assert.rejects(accounts.create({ ...olivia, password: 'hunter2' }, byTest), error => {
    assert.ok(error instanceof Error && !error.message.includes('hunter2'))
    return true
  })
})

test('the right password signs in', async () => {
  const made = await accounts.create(olivia, byTest)
  assert.deepEqual(await accounts.signIn('olivia@example.com', password, byTest), made)
})

test('an unknown email, a wrong password and a disabled account get the same answer', async () => {
  await accounts.create(olivia, byTest)
  assert.equal(await accounts.signIn('olivia@example.com', 'wrong horse battery', byTest), null)
  assert.equal(await accounts.signIn('nobody@example.com', password, byTest), null)
  const made = await accounts.create({ ...olivia, email: 'd@example.com' }, byTest)
  assert.equal(await accounts.setDisabled(made, true, byTest), true)
  assert.equal(await accounts.signIn('d@example.com', password, byTest), null)
})
