import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { calculateJwkThumbprint, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { createKeys, type Keys } from '../../src/domain/keys.ts'
import type { Key, Storage } from '../../src/storage/port/index.ts'
import { databaseForEach } from '../helpers/engine.ts'
import { byTest } from '../helpers/by.ts'
import { openStorage } from '../helpers/storage.ts'

const start = 1_800_000_000
const day = 86_400
let now: number
let storage: Storage
let keys: Keys

beforeEach(async () => {
  now = start
  storage = await openStorage(await databaseForEach())
  keys = createKeys({ storage, clock: { now: () => now } })
})
afterEach(() => storage.close())

const jwkOf = (key: Key | undefined): JWK => JSON.parse(key?.secret ?? 'null') as JWK

test('the first use makes one ES256 key, named by its RFC 7638 thumbprint, and keeps it', async () => {
  const [key, ...others] = await keys.signing()
  assert.equal(others.length, 0)
  const jwk = jwkOf(key)
  assert.equal(jwk.kty, 'EC')
  assert.equal(jwk.crv, 'P-256')
  assert.equal(jwk.alg, 'ES256')
  assert.equal(jwk.use, 'sig')
  assert.equal(typeof jwk.d, 'string')
  assert.equal(jwk.kid, await calculateJwkThumbprint(jwk))
  assert.equal(key?.id, jwk.kid)
  assert.equal(key?.created_at, start)
  assert.deepEqual(await keys.signing(), [key])
})

test('nodes that start together agree on one first key', async () => {
  const lists = await Promise.all(Array.from({ length: 8 }, () => keys.signing()))
  const ids = new Set(lists.flat().map(key => key.id))
  assert.equal(ids.size, 1)
})

test('what the private key signs, its public half verifies', async () => {
  const jwk = jwkOf((await keys.signing())[0])
  const token = await new SignJWT({ sub: 'x' })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(await importJWK(jwk))
  const { kty, crv, x, y } = jwk
  const half = await importJWK({ kty, crv, x, y } as JWK, 'ES256')
  assert.equal((await jwtVerify(token, half)).payload.sub, 'x')
})

test('rotate signs with a new key and keeps the one before for verifying', async () => {
  const [first] = await keys.signing()
  now += 60
  const made = await keys.rotate(byTest)
  const [signing, retired, ...others] = await keys.signing()
  assert.deepEqual(signing, made)
  assert.equal(signing?.retired_at, null)
  assert.equal(retired?.id, first?.id)
  assert.equal(retired?.retired_at, now)
  assert.equal(others.length, 0)
})

test('the key that signs comes first, also after two rotations within a second', async () => {
  await keys.signing()
  await keys.rotate(byTest)
  const last = await keys.rotate(byTest)
  const [signing, ...others] = await keys.signing()
  assert.equal(signing?.id, last.id)
  assert.ok(others.every(key => key.retired_at !== null))
})

test('rotate before any use makes the first key', async () => {
  const made = await keys.rotate(byTest)
  assert.deepEqual(await keys.signing(), [made])
})

test('live tokens outlast no key: a retired key stays for 2 days and one more, then goes', async () => {
  const [first] = await keys.signing()
  await keys.rotate(byTest)
  now = start + 3 * day - 1
  assert.ok((await keys.signing()).some(key => key.id === first?.id))
  now = start + 3 * day
  assert.ok(
    !(await keys.signing()).some(key => key.id === first?.id),
    'also when no other rotation deletes it',
  )
})

test('a rotation that abandons the old keys leaves the new one alone', async () => {
  await keys.signing()
  const { id } = await keys.rotate(byTest, { abandon: true })
  assert.deepEqual(
    (await keys.signing()).map(key => key.id),
    [id],
  )
})

test('the cookie secret is made once, of 256 random bits', async () => {
  const [lists] = [await Promise.all([keys.cookie(), keys.cookie()])]
  assert.deepEqual(lists[0], lists[1])
  const [secret, ...others] = lists[0] ?? []
  assert.match(secret ?? '', /^[\w-]{43}$/)
  assert.equal(others.length, 0)
})

test('a rotation renews the cookie secret: it signs a minute later, when every node knows it; the old one verifies on', async () => {
  const [old] = await keys.cookie()
  await keys.rotate(byTest)
  const [first, second] = await keys.cookie()
  assert.equal(first, old)
  assert.notEqual(second, old)
  now += 59
  assert.deepEqual(await keys.cookie(), [old, second])
  now += 1
  assert.deepEqual(await keys.cookie(), [second, old])
  now += 3 * day
  assert.deepEqual(await keys.cookie(), [second])
})

test('a rotation that abandons the old keys leaves no old cookie secret either', async () => {
  const [old] = await keys.cookie()
  await keys.rotate(byTest, { abandon: true })
  const left = await keys.cookie()
  assert.equal(left.length, 1)
  assert.notEqual(left[0], old)
})
