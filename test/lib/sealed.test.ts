import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, seal } from '../../src/lib/sealed.ts'

test('a sealed text opens with its secret, about the same thing', () => {
  const sealed = seal('héllo', 'secret', 'about')
  assert.equal(open(sealed, 'secret', 'about'), 'héllo')
  assert.notEqual(seal('héllo', 'secret', 'about'), sealed)
})

test('another secret, another thing, or a changed byte opens nothing', () => {
  const sealed = seal('hello', 'secret', 'about')
  assert.throws(() => open(sealed, 'Secret', 'about'))
  assert.throws(() => open(sealed, 'secret', 'other'))
  const bytes = Buffer.from(sealed, 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] as number) ^ 1
    assert.throws(() => open(changed.toString('base64url'), 'secret', 'about'), `byte ${i}`)
  }
  assert.throws(() => open('', 'secret', 'about'))
})
