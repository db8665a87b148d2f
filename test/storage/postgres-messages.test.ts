import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { release } from '../../src/lib/release.ts'
import { createMessages } from '../../src/storage/postgres/connection/messages.ts'

function message(kind: number, body: Uint8Array): Buffer {
  const bytes = Buffer.alloc(5 + body.length, 0)
  bytes[0] = kind
  bytes.writeUInt32BE(4 + body.length, 1)
  bytes.set(body, 5)
  return bytes
}

/** Feeds the bytes as a socket would: in pieces, each read into the same memory as the one before. */
function feed(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const delivered: Buffer[] = []
  const take = createMessages(messages => delivered.push(messages))
  const memory = Buffer.alloc(Math.max(...sizes))
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = Math.min(sizes[i % sizes.length] as number, bytes.length - at)
    bytes.copy(memory, 0, at, at + length)
    take(memory.subarray(0, length))
    at += length
  }
  return delivered
}

/** Fails unless the bytes are whole messages, and says how many. */
function count(bytes: Buffer): number {
  let at = 0
  let messages = 0
  for (; at < bytes.length; messages++) at += bytes.readUInt32BE(at + 1) + 1
  assert.equal(at, bytes.length, 'a message is cut')
  return messages
}

test('whatever pieces a socket gives, the driver gets whole messages, all of them, in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 40 })), {
        minLength: 1,
      }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
      (parts, sizes) => {
        const sent = parts.map(([kind, body]) => message(kind, body))
        const delivered = feed(Buffer.concat(sent), sizes)
        assert.deepEqual(Buffer.concat(delivered), Buffer.concat(sent))
        assert.equal(
          delivered.reduce((sum, bytes) => sum + count(bytes), 0),
          sent.length,
        )
      },
    ),
    { numRuns: 1000 },
  )
})

test('a large row comes alone, and its memory is given back with a part of it', () => {
  const row = message(68, new Uint8Array(200_000).fill(7))
  const small = message(50, new Uint8Array(3))
  const [before, large, after] = feed(Buffer.concat([small, row, small]), [65_536])
  assert.deepEqual([before, large, after], [small, row, small])
  const page = (large as Buffer).subarray(100, 150_000)
  release(page)
  assert.equal(large?.length, 0, 'its memory is still held')
  assert.deepEqual(after, small)
})

for (const [what, bytes] of [
  ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['a length that does not count itself', Buffer.from([82, 0, 0, 0, 3, 0, 0, 0])],
] as const) {
  test(`${what} is no message: no memory is set aside for it`, () => {
    assert.throws(() => feed(bytes, [64]), /not PostgreSQL/)
    assert.throws(() => feed(bytes, [2]), /not PostgreSQL/)
  })
}

test('memory that others have a part of is never given back', () => {
  const shared = new Uint8Array(200_000)
  release(shared.subarray(0, 150_000))
  assert.equal(shared.length, 200_000)
})
