import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Line, LineCutter } from '../../src/lib/lines.ts'
import { character } from '../helpers/character.ts'

function cut(bytes: Buffer, pieceLength: number, maxLength = 1000): Line[] {
  const cutter = new LineCutter(maxLength)
  const lines: Line[] = []
  for (let at = 0; at < bytes.length; at += pieceLength) {
    lines.push(...cutter.push(bytes.subarray(at, at + pieceLength)))
  }
  return [...lines, ...cutter.end()]
}

test('lines: however the bytes arrive, the lines are those of the whole text', () => {
  const texts = fc.array(
    fc.string({ unit: character, maxLength: 12 }).map(text => text.toWellFormed().replaceAll('\n', '')),
  )
  fc.assert(
    fc.property(texts, fc.boolean(), fc.integer({ min: 1, max: 9 }), (lines, ended, pieceLength) => {
      const bytes = Buffer.from(lines.join('\n') + (ended ? '\n' : ''))
      const expected = bytes
        .toString()
        .replace(/^\ufeff/, '')
        .split('\n')
      if (expected.at(-1) === '') expected.pop()
      assert.deepEqual(
        cut(bytes, pieceLength),
        expected.map((text, index) => ({ line: index + 1, text })),
      )
    }),
  )
})

for (const pieceLength of [1, 3, 100]) {
  test(`lines: a line beyond the limit is named and the next ones are read, in pieces of ${pieceLength}`, () => {
    assert.deepEqual(cut(Buffer.from('ab\n123456\n12345\n'), pieceLength, 5), [
      { line: 1, text: 'ab' },
      { line: 2, fault: 'too_long' },
      { line: 3, text: '12345' },
    ])
  })

  test(`lines: bytes that are not UTF-8 are named by their line, in pieces of ${pieceLength}`, () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0x62, 0xff]), Buffer.from('\né')])
    assert.deepEqual(cut(bytes, pieceLength), [
      { line: 1, text: 'a' },
      { line: 2, fault: 'not_utf8' },
      { line: 3, text: 'é' },
    ])
  })
}

test('lines: a byte order mark is taken from the first line only', () => {
  assert.deepEqual(cut(Buffer.from('\ufeffa\n\ufeffb'), 100), [
    { line: 1, text: 'a' },
    { line: 2, text: '\ufeffb' },
  ])
})
