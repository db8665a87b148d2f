import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isName } from '../../src/lib/names.ts'

const names = [
  'Flat white',
  ' padded ',
  'Café',
  '東京 1号店',
  'שלום',
  '한국',
  'ไทย',
  '*',
  '👩‍🍳 Kitchen',
  '🏳‍🌈',
  '👍🏽',
  '🇦🇺',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '❤\ufe0f',
  '☕\ufe0e',
  '1\ufe0f\u20e3',
  'فروشگاه\u200cها',
  'क्\u200dष',
  'ක්\u200dර',
  '葛\u{e0100}城',
]

const refused = [
  '',
  ' ',
  '\u3000',
  '\u2800',
  '\u3164',
  '\u0301',
  '\u200d',
  '\ufe0f',
  'a\tb',
  'a\u007fb',
  'a\u0085b',
  'a\u00adb',
  'a\u034fb',
  'a\u061cb',
  'a\u200bb',
  'a\u200cb',
  'a\u200db',
  'a\u200eb',
  'a\u2028b',
  'a\u202eb',
  'a\u2060b',
  'a\u2066b\u2069',
  '\ufeffa',
  'a\ufe0f',
  'a\u{e0041}b',
  '\ud800',
  'فروشگاه\u200c',
  '🏴\u{e0067}',
]

for (const name of names) {
  test(`name: ${name} is accepted`, () => assert.equal(isName(name), true))
}

for (const name of refused) {
  test(`name: ${JSON.stringify(name)}, blank or with a hidden character, is refused`, () =>
    assert.equal(isName(name), false))
}
