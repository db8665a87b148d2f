import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonCursor, NotJson, TooDeep } from '../../src/lib/json-cursor.ts'

const cursor = new JsonCursor()

function accepts(text: string): boolean {
  cursor.reset(text)
  try {
    cursor.skipSpace()
    cursor.skipValue(1000)
    cursor.skipSpace()
    return cursor.atEnd
  } catch (error) {
    assert.ok(error instanceof NotJson, String(error))
    return false
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const tricky = [
  '',
  ' ',
  'null',
  'nul',
  'nulll',
  'true',
  'True',
  'false',
  'undefined',
  'NaN',
  'Infinity',
  '"',
  '""',
  '"\\',
  '0',
  '-0',
  '00',
  '01',
  '-',
  '-01',
  '1.',
  '.5',
  '1.0',
  '1e',
  '1e+',
  '1e5',
  '1E-5',
  '1.5e5',
  '+1',
  '0x1',
  '1_0',
  '{}',
  '{',
  '}',
  '{,}',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":1 "b":2}',
  '{a:1}',
  "{'a':1}",
  '{"a":1}}',
  '[]',
  '[',
  ']',
  '[,]',
  '[1,]',
  '[1 2]',
  '[1]]',
  '[1}',
  '{"a":1]',
  ' [ 1 , 2 ] ',
  '﻿1',
  '\xA01',
  '1\0',
  '"\\u12"',
  '"\\u12G4"',
  '"\\u1234"',
  '"\\x41"',
  '"\\/"',
  '"\n"',
  '""',
  '"	"',
  '"\\ud800"',
  '"\ud800"',
  '// x\n1',
  '/* */1',
  '1//',
  '[1,/**/2]',
  '"a" "b"',
  '\f1',
  '\v1',
  '\u20281',
  'nullnull',
  '--1',
  '1-1',
  '1e1.5',
]

for (const text of tricky) {
  test(`json: ${JSON.stringify(text)} is accepted exactly when JSON.parse accepts it`, () => {
    assert.equal(accepts(text), parses(text))
  })
}

test('json: the cursor reads to its end every text that JSON.parse reads', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 6 }), text => assert.ok(accepts(text))))
})

test('json: a text with characters changed, added or removed is accepted exactly when JSON.parse accepts it', () => {
  const alphabet = fc.constantFrom(...'{}[]",:\\ \n\t\0ueE+-.0123nultrfs/x'.split(''))
  const edit = fc.tuple(fc.nat(), fc.nat(2), alphabet)
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
      const edited = edits.reduce((result, [place, remove, add]) => {
        const at = place % (result.length + 1)
        return result.slice(0, at) + (remove === 2 ? '' : add) + result.slice(remove === 0 ? at : at + 1)
      }, text)
      assert.equal(accepts(edited), parses(edited), JSON.stringify(edited))
    }),
    { numRuns: 5000 },
  )
})

test('json: a text after a longer one is not read into the longer one’s rest', () => {
  assert.ok(accepts('{"a":"2026-11-01 09:30:00","b":[1,2,3]}'))
  for (const text of ['{"a":"2026', '{"a"', '[1', 'nul', '1.', '"\\u00'])
    assert.equal(accepts(text), false, text)
})

test('json: a text far longer than the first ones is read', () => {
  assert.ok(accepts(JSON.stringify('x'.repeat(100_000))))
  assert.equal(accepts(JSON.stringify('x'.repeat(200_000)).slice(0, -1)), false)
})

test('json: a value nested more deeply than allowed is refused', () => {
  for (const text of ['[[[]]]', '{"a":{"b":{}}}', '['.repeat(500_000)]) {
    cursor.reset(text)
    assert.throws(() => cursor.skipValue(2), TooDeep)
  }
})
