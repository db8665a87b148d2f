import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from '../../src/lib/csv.ts'

test('no cell is a formula, also where a spreadsheet splits lines at semicolons', () => {
  const rows: [text: string, cell: string][] = [
    ['=1+1', "'=1+1"],
    [' @x', "' @x"],
    ['x;=1+1', "x;'=1+1"],
    ['Cash; -5', "Cash; '-5"],
    ['a\n+1', "a\n'+1"],
    ['a-b; c', 'a-b; c'],
    ['say "x"', 'say ""x""'],
  ]
  for (const [text, cell] of rows) assert.equal(csvLine([text]), `"${cell}"\r\n`)
  assert.equal(csvLine([-1, null, 2n]), '-1,,2\r\n')
})
