import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImage } from '../../src/lib/image.ts'
import {
  extendedWebp,
  gif,
  jpeg,
  losslessWebp,
  page,
  png,
  pngSignature,
  svg,
  webp,
} from '../helpers/images.ts'

test('the type and the size come from the bytes', () => {
  assert.deepEqual(readImage(png(20, 10)), { type: 'image/png', width: 20, height: 10 })
  assert.deepEqual(readImage(png(100_000, 7)), { type: 'image/png', width: 100_000, height: 7 })
  assert.deepEqual(readImage(jpeg), { type: 'image/jpeg', width: 2, height: 1 })
  for (const bytes of [webp, losslessWebp, extendedWebp]) {
    assert.deepEqual(readImage(bytes), { type: 'image/webp', width: 2, height: 1 })
  }
})

test('an extended WebP has the size of its canvas or of its picture, whichever is larger', () => {
  const wide = Buffer.from(extendedWebp)
  wide.writeUIntLE(4999, 24, 3)
  assert.equal(readImage(wide)?.width, 5000)
  const tall = Buffer.from(extendedWebp)
  tall.writeUInt16LE(9000, tall.indexOf(Buffer.from('9d012a', 'hex')) + 5)
  assert.equal(readImage(tall)?.height, 9000)
})

test('other types, and texts, are no image', () => {
  for (const bytes of [svg, page, gif, Buffer.alloc(0), Buffer.from('BM'), Buffer.from('%PDF-1.7')]) {
    assert.equal(readImage(bytes), null, bytes.toString('latin1', 0, 10))
  }
})

test('a file that only begins like an image, or goes on after its end, is refused', () => {
  for (const bytes of [png(2, 2), jpeg, webp, losslessWebp, extendedWebp]) {
    for (const more of [page, svg, Buffer.from('PK\u0003\u0004'), Buffer.alloc(1)]) {
      assert.equal(readImage(Buffer.concat([bytes, more])), null)
      assert.equal(readImage(Buffer.concat([more, bytes])), null)
    }
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(readImage(bytes.subarray(0, length)), null, `${length} bytes of ${bytes.length}`)
    }
  }
  assert.equal(readImage(Buffer.concat([pngSignature, page])), null)
  assert.equal(readImage(Buffer.concat([jpeg.subarray(0, 4), page])), null)
})

test('a PNG whose checksum is wrong is refused', () => {
  const bytes = png(2, 2)
  bytes.writeUInt8(9, 19)
  assert.equal(readImage(bytes), null)
})

test('an animation is refused', () => {
  assert.equal(readImage(png(2, 2, [['acTL', Buffer.alloc(8)]])), null)
  const animated = Buffer.concat([extendedWebp, Buffer.from('ANMF\0\0\0\0', 'latin1')])
  animated.writeUInt32LE(animated.length - 8, 4)
  assert.equal(readImage(animated), null)
})

test('no bytes make it fail or take long', () => {
  const valid = [png(2, 2), jpeg, webp, losslessWebp, extendedWebp]
  for (let seed = 1; seed <= 3000; seed++) {
    const bytes = Buffer.from(valid[seed % valid.length] ?? jpeg)
    for (let change = 0; change <= seed % 4; change++) {
      bytes[(seed * 7919 + change * 104_729) % bytes.length] = (seed * 31 + change) & 0xff
    }
    readImage(bytes)
  }
})
