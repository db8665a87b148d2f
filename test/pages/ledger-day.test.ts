import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateToShow } from '../../examples/ledger/day.ts'

const now = new Date('2026-11-16T22:00:00Z')
const sydney = 'Australia/Sydney'

test('the ledger opens the last day that has orders, on the wall clock of the store', () => {
  assert.equal(dateToShow(null, sydney, '2026-11-16 12:59:59', now), '2026-11-16', 'yesterday, there')
  assert.equal(dateToShow(null, sydney, '2026-11-16 13:00:00', now), '2026-11-17', 'today, there')
  assert.equal(dateToShow(null, 'America/Lima', '2026-10-01 04:59:59', now), '2026-09-30')
  assert.equal(dateToShow(null, 'America/Lima', null, now), '2026-11-16', 'no orders yet')
  assert.equal(dateToShow(null, 'America/Lima', '2026-11-18 12:00:00', now), '2026-11-16', 'a till ahead')
})

test('the ledger opens a day that the address names, unless it is none or in the future', () => {
  const show = (asked: string) => dateToShow(asked, sydney, '2026-11-10 00:00:00', now)
  assert.equal(show('2026-11-12'), '2026-11-12')
  assert.equal(show('2026-11-17'), '2026-11-17')
  for (const asked of ['2026-11-18', '2026-13-01', 'x', '']) assert.equal(show(asked), '2026-11-10', asked)
})
