import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { overviewChart, readRates } from '../../bench/report/overview.ts'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')

test('the picture of docs/performance.md is drawn from the rates of the last runs', () => {
  assert.equal(read('charts/bench-overview.svg'), overviewChart(readRates()))
})

test('the table on top has every rate of the picture', () => {
  const table = read('performance.md').split('## How it is measured')[0] ?? ''
  for (const [engine, rates] of Object.entries(readRates()))
    for (const [row, rate] of Object.entries(rates))
      assert.ok(table.includes(rate.toLocaleString('en')), `${engine} ${row}: ${rate}`)
})
