import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from '../../src/lib/csv.ts'
import { fold } from '../../src/lib/fold.ts'
import { addDays, isDate, localDate, startOfDate } from '../../src/lib/local-date.ts'

test('CSV: texts are quoted, and never begin as a formula does', () => {
  assert.equal(
    csvLine(['a"b', 'c,d', 'e\r\nf', null, -1.5, 9007199254740993n]),
    '"a""b","c,d","e\r\nf",,-1.5,9007199254740993\r\n',
  )
  for (const text of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '  =1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '\0=1',
  ]) {
    assert.ok(csvLine([text]).startsWith(`"'`), JSON.stringify(text))
  }
  for (const text of ['Flat white', '1-2', 'a=b', '#1', '']) assert.equal(csvLine([text]), `"${text}"\r\n`)
})

test('fold: without case, accents and forms', () => {
  for (const [text, folded] of [
    ['Café', 'cafe'],
    ['CAFE\u0301', 'cafe'],
    ['Ａｌｔｏ', 'alto'],
    ['ÅNGSTRÖM', 'angstrom'],
    ['ΑΘΉΝΑ', 'αθηνα'],
  ] as const) {
    assert.equal(fold(text), folded)
  }
})

test('dates: real ones from 1970 on', () => {
  for (const date of ['1970-01-01', '2026-02-28', '2028-02-29']) assert.ok(isDate(date), date)
  for (const date of [
    '',
    '1969-12-31',
    '2026-02-30',
    '2026-2-3',
    '2026-02-29',
    '12026-01-01',
    '2026-01-01 ',
  ]) {
    assert.ok(!isDate(date), date)
  }
})

test('a day begins at midnight of its zone, wherever that is; the days of a zone leave no gap', () => {
  const hours = (date: string, zone: string) =>
    (startOfDate(addDays(date, 1), zone) - startOfDate(date, zone)) / 3600
  assert.equal(startOfDate('2026-11-01', 'UTC'), Date.UTC(2026, 10, 1) / 1000)
  assert.equal(startOfDate('2026-11-01', 'Australia/Sydney'), Date.UTC(2026, 9, 31, 13) / 1000)
  assert.equal(hours('2026-10-25', 'Europe/London'), 25)
  assert.equal(hours('2026-03-29', 'Europe/London'), 23)
  // Clocks in Santiago skip midnight in spring.
  assert.equal(hours('2026-09-06', 'America/Santiago'), 23)
  // Samoa skipped a whole day.
  assert.equal(hours('2011-12-30', 'Pacific/Apia'), 0)
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'Asia/Kathmandu']) {
    const start = startOfDate('2026-06-15', zone)
    assert.deepEqual([localDate(start, zone), localDate(start - 1, zone)], ['2026-06-15', '2026-06-14'], zone)
  }
})
