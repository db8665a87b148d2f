import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import {
  brotliDecompressSync,
  constants,
  createGzip,
  createZstdCompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib'
import { coders } from '../../src/http/reply/content-coding.ts'
import {
  createCompressorPool,
  limitConcurrency,
  maxConcurrent,
} from '../../src/http/reply/compressor-pool.ts'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

/** Bodies that have nothing in common, some larger than a chunk. */
const bodies = Array.from({ length: 60 }, (_, i) => {
  const word = randomBytes(6).toString('hex')
  return i % 7 === 0 ? randomBytes(100_000 + i) : Buffer.from(word.repeat(1 + i * 300))
})

suite('whole bodies', () => {
  for (const [coding, decode] of Object.entries(decoders)) {
    test(`${coding}: many at once and one after the other, each decodes to its own body`, async () => {
      const { whole } = coders[coding as keyof typeof coders]
      for (let round = 0; round < 3; round++) {
        const coded = await Promise.all(bodies.map(body => whole(body)))
        coded.forEach((parts, i) => assert.deepEqual(decode(Buffer.concat(parts)), bodies[i]))
      }
      for (const body of bodies.slice(0, 10)) assert.deepEqual(decode(Buffer.concat(await whole(body))), body)
    })
  }
})

/** A pool, and the streams that it created. */
function gzips() {
  const streams: ReturnType<typeof createGzip>[] = []
  const create = () => {
    const stream = createGzip({ flush: constants.Z_FINISH })
    streams.push(stream)
    return stream
  }
  return {
    streams,
    code: createCompressorPool(create, stream => (stream as unknown as { reset(): void }).reset()),
  }
}

test('streams are reused, and a long queue does not create more of them', async () => {
  const { code, streams } = gzips()
  for (let i = 0; i < 5; i++) await code(Buffer.from('a'))
  assert.equal(streams.length, 1)
  const limited = limitConcurrency(code)
  for (let round = 0; round < 2; round++) {
    await Promise.all(Array.from({ length: 5 * maxConcurrent }, () => limited(Buffer.from('b'))))
    assert.equal(streams.length, maxConcurrent)
  }
})

test('a queued body that nobody wants any more is not compressed', async () => {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const begun: string[] = []
  const limited = limitConcurrency(async bytes => {
    begun.push(bytes.toString())
    await done
    return [bytes]
  })
  let wanted = true
  const first = Array.from({ length: maxConcurrent }, () => limited(Buffer.from('first'), () => wanted))
  const left = limited(Buffer.from('left'), () => wanted)
  const last = limited(Buffer.from('last'))
  wanted = false
  finish()
  await Promise.all(first)
  assert.deepEqual(await left, [])
  assert.deepEqual(await last, [Buffer.from('last')])
  assert.deepEqual(begun, [...Array(maxConcurrent).fill('first'), 'last'])
})

test('queued bodies are compressed after the streams before them failed', async () => {
  const { code, streams } = gzips()
  const limited = limitConcurrency(code)
  const first = Array.from({ length: maxConcurrent }, () => limited(randomBytes(300_000)))
  const waiting = Array.from({ length: 20 }, (_, i) => limited(Buffer.from(`waiting ${i}`)))
  for (const stream of streams) stream.destroy()
  for (const { status } of await Promise.allSettled(first)) assert.equal(status, 'rejected')
  const bodies = await Promise.all(waiting)
  bodies.forEach((parts, i) => assert.equal(gunzipSync(Buffer.concat(parts)).toString(), `waiting ${i}`))
})

test('an error in the thread rejects its body, and the next body gets another stream', async () => {
  let made = 0
  // The pledged size is wrong, which Zstandard detects in its thread.
  const code = createCompressorPool(() =>
    createZstdCompress({ flush: constants.ZSTD_e_end, ...(made++ === 0 && { pledgedSrcSize: 10 }) }),
  )
  await assert.rejects(code(Buffer.from('short')))
  assert.equal(zstdDecompressSync(Buffer.concat(await code(Buffer.from('next')))).toString(), 'next')
})

test('a stream that is destroyed while it works rejects its body', async () => {
  const { code, streams } = gzips()
  const coding = code(randomBytes(300_000))
  streams[0]?.destroy()
  await assert.rejects(coding)
})

test('a stream that failed is not reused', async () => {
  const { code, streams } = gzips()
  await code(Buffer.from('a'))
  streams[0]?.destroy(new Error('broken'))
  const parts = await code(Buffer.from('c'))
  assert.equal(gunzipSync(Buffer.concat(parts)).toString(), 'c')
  assert.equal(streams.length, 2)
})
