import fc from 'fast-check'
import { character } from '../../helpers/character.ts'

/** Values that programs trip over, and ways to write them that parsers disagree about. */

const numbers = [
  '0',
  '-0',
  '-1',
  '00',
  '007',
  '+1',
  '1.0',
  '1e3',
  '0x10',
  '1_000',
  '१२',
  '1 ',
  ' 1',
  'NaN',
  'Infinity',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '9'.repeat(400),
]

const times = [
  '2026-11-01 00:00:00',
  '2026-02-30 00:00:00',
  '2026-11-01T00:00:00Z',
  '2026-11-01 24:00:00',
  '0000-00-00',
  '0001-01-01 00:00:00',
  '9999-12-31 23:59:59',
  '2026-11-01 23:59:60',
  '-2026-11-01 00:00:00',
  'now',
]

const days = [
  '2026-11-01',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '-271821-04-20',
  '2026-1-1',
  '2026-11-01 ',
]

/** JSON that is no cursor of any list, or is made to look like one. */
const cursors = [
  '[]',
  '["x"]',
  '{}',
  'null',
  '["0","1","2"]',
  '["0",1]',
  '["0","9223372036854775808"]',
  '[[],[]]',
]
  .map(text => Buffer.from(text).toString('base64url'))
  .concat('WyI', '=', '%', '....', '-'.repeat(3000))

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'null',
  'undefined',
  'true',
]

const injections = [
  "' or 1=1 --",
  '"; drop table orders; --',
  "') union select secret from keys --",
  "%' escape '",
  '$1',
  '\\',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '${7*7}',
  '{{7*7}}',
  '../../../../etc/passwd',
  '..\\..\\windows',
  'file:///etc/passwd',
  'http://169.254.169.254/',
  '//evil.example',
  'a\r\nSet-Cookie: x=y',
  'a\nb',
  '%0d%0aX: y',
  '|id',
  '`id`',
  '$(id)',
  ';id',
  '[]',
  '{}',
  '{"$gt":""}',
  '*',
  '%',
]

const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '﻿',
  '‮evil',
  '​',
  '',
  '\u2028',
  '\x1B[31m',
  '💥',
  'é',
  'é',
  '\ud800',
  'a\udfff',
  'a'.repeat(255),
  'a'.repeat(5e3),
  '💥'.repeat(300),
  '('.repeat(500),
]

/** Known nasty values, then anything at all. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...numbers, ...times, ...days, ...cursors, ...names, ...injections, ...texts),
  },
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String) },
)

/** As a client would write it, and as one would that wants to be misread. */
export const encodings: readonly ((value: string) => string)[] = [
  strictly,
  strictly,
  strictly,
  value => strictly(value).replaceAll('%20', '+'),
  value => strictly(strictly(value)),
  value => [...Buffer.from(value)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  // Bytes as they are, as far as a request line can carry them.
  value =>
    Buffer.from(value)
      .toString('latin1')
      .replaceAll(/[^\x21-\x7e\x80-\xff]/g, ''),
  value => `${strictly(value)}%`,
  value => `${strictly(value)}%c0%af%ff`,
  value => `${strictly(value)}%u0000`,
]

/** Half a pair has no UTF-8: it goes out as the bytes that it would have. */
function strictly(value: string): string {
  return value.isWellFormed()
    ? encodeURIComponent(value)
    : `%ED%A0%80${encodeURIComponent(value.toWellFormed())}`
}
