import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions } from '@node-rs/argon2'
import { hashPassword, verifyDummy, verifyPassword } from '../../src/domain/accounts/passwords.ts'

test('a password is kept as argon2id with OWASP’s 19 MiB, two passes, one lane', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const { memoryCost, timeCost, parallelism, saltLen, outputLen } = parseOptions(hash)
  assert.deepEqual(
    { memoryCost, timeCost, parallelism, saltLen, outputLen },
    { memoryCost: 19_456, timeCost: 2, parallelism: 1, saltLen: 16, outputLen: 32 },
  )
})

test('the same password hashes differently each time: the salt is random', async () => {
  assert.notEqual(await hashPassword('correct horse battery'), await hashPassword('correct horse battery'))
})

test('the right password verifies; any other does not', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.equal(await verifyPassword(hash, 'correct horse battery'), true)
  for (const wrong of ['', 'correct horse batterY', 'correct horse battery ', hash]) {
    assert.equal(await verifyPassword(hash, wrong), false, JSON.stringify(wrong))
  }
})

test('é typed as one character or as two is the same password', async () => {
  const hash = await hashPassword('caf\u00e9 au lait')
  assert.equal(await verifyPassword(hash, 'cafe\u0301 au lait'), true)
})

test('verifyDummy accepts no password', async () => {
  for (const password of ['', 'A', 'correct horse battery']) {
    assert.equal(await verifyDummy(password), false)
  }
})

test('verifyDummy takes as long as a real check', async () => {
  const hash = await hashPassword('correct horse battery')
  const fastest = { real: Number.POSITIVE_INFINITY, nothing: Number.POSITIVE_INFINITY }
  const ratio = () => fastest.nothing / fastest.real
  const alike = () => ratio() > 0.5 && ratio() < 2
  // The fastest of several is steady, and turns about share whatever else the machine is doing; on a busy one it takes
  // more of them until each was left alone once.
  for (let round = 0; round < 8 || (round < 80 && !alike()); round++) {
    fastest.real = Math.min(fastest.real, await time(() => verifyPassword(hash, 'a wrong password')))
    fastest.nothing = Math.min(fastest.nothing, await time(() => verifyDummy('a wrong password')))
  }
  assert.ok(alike(), JSON.stringify(fastest))
})

async function time(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}
