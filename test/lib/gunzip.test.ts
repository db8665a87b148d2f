import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { gunzip } from '../../src/lib/gunzip.ts'

const text = randomBytes(100_000)

async function read(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const read = []
  for await (const piece of pieces) read.push(piece)
  return Buffer.concat(read)
}

test('gunzip: what was compressed', async () => {
  assert.deepEqual(await read(gunzip(Readable.from([gzipSync(text)]))), text)
})

test('gunzip: data that ends early is an error of the reader, however late they begin', async () => {
  const short = gunzip(Readable.from([gzipSync('short').subarray(0, -9)]))
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  await assert.rejects(read(short), { code: 'Z_BUF_ERROR' })
})

test('gunzip: data that ends early is an error of the reader, however slow they are', async () => {
  const short = gunzip(Readable.from([gzipSync(text).subarray(0, -9)]))
  let size = 0
  await assert.rejects(
    async () => {
      for await (const piece of short) {
        size += piece.length
        for (let turn = 0; turn < 100; turn++) await nextTurn()
      }
    },
    { code: 'Z_BUF_ERROR' },
  )
  assert.ok(size > 0)
})

test('gunzip: an error of the source reaches the reader', async () => {
  const source = Readable.from(
    (async function* () {
      yield gzipSync(text).subarray(0, 50_000)
      throw new Error('gone')
    })(),
  )
  await assert.rejects(read(gunzip(source)), { message: 'gone' })
})
