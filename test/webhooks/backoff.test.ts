import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseAfter, readRetryAfter } from '../../src/domain/webhooks/backoff.ts'

test('pauses grow from 5 s to 6 h, up to a quarter shorter', () => {
  const pauses = [5, 30, 120, 600, 3600, 10_800, 21_600, 21_600, 21_600]
  for (const [i, seconds] of pauses.entries()) {
    assert.equal(pauseAfter(i + 1, null, 0), seconds * 1000)
    assert.equal(pauseAfter(i + 1, null, 1), seconds * 750)
  }
})

test('Retry-After makes a pause longer, never shorter, up to 24 hours', () => {
  assert.equal(pauseAfter(1, 100, 1), 100_000)
  assert.equal(pauseAfter(2, 1, 0), 30_000)
  assert.equal(pauseAfter(1, Number.POSITIVE_INFINITY, 0), 86_400_000)
})

test('Retry-After is a number of seconds or a date; anything else counts as left out', () => {
  const now = Date.UTC(2026, 10, 16, 12)
  for (const [value, seconds] of [
    ['100', 100],
    [' 7 ', 7],
    ['0', 0],
    ['99999999999999999999', 1e20],
    ['Mon, 16 Nov 2026 12:02:00 GMT', 120],
    ['Monday, 16-Nov-26 12:02:00 GMT', 120],
    ['Mon, 16 Nov 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['120, 60', null],
    ['', null],
    [undefined, null],
  ] as const)
    assert.equal(readRetryAfter(value, now), seconds, value)
})
