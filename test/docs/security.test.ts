import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

/** docs/security.md names a test for each attack, and each of them is there. */

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/security.md'), 'utf8')

/** Rows of the tables of attacks: four cells, of which the last names tests. */
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| ') && line.includes('`test/') && line.includes('“'))
  .map(line => line.slice(2, -2).split(' | '))

describe('each attack of docs/security.md', () => {
  test('there are many, each with its four cells', () => {
    assert.ok(rows.length > 50)
    for (const row of rows) assert.equal(row.length, 4, row.join(' | '))
    const all = page
      .split('\n')
      .filter(line => /^\| (?!attack|package)/.test(line) && !/\| (approved|not run) \|/.test(line))
    assert.equal(all.length, rows.length, 'an attack without a test')
  })

  for (const [attack = '', , , tests = ''] of rows) {
    test(`has its test: ${attack}`, () => {
      const named = [...tests.matchAll(/`(test\/[^`]+)`: “([^”]+)”/g)]
      assert.ok(named.length > 0, tests)
      assert.equal(named.map(([all]) => all).join('; '), tests, 'something in the cell is no test')
      for (const [, file = '', name = ''] of named) {
        assert.ok(existsSync(join(root, file)), `${file} is gone`)
        assert.ok(readFileSync(join(root, file), 'utf8').includes(name), `${file} has no test “${name}”`)
      }
    })
  }
})
