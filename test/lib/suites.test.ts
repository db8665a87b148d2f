import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const tests = join(import.meta.dirname, '..')
const suites = (engine: string): string =>
  readdirSync(join(tests, 'suites', engine))
    .map(name => readFileSync(join(tests, 'suites', engine, name), 'utf8'))
    .join()

test('npm test runs every folder that has test files', () => {
  const { scripts } = JSON.parse(readFileSync(join(tests, '../package.json'), 'utf8'))
  const listed = [...`${scripts.test} ${scripts['test:alone']}`.matchAll(/test\/(\w+)\/\*\.test\.ts/g)]
  const inSuites = [...suites('sqlite').matchAll(/filesOf\('(\w+)'/g)]
  const run = new Set([...listed, ...inSuites].map(([, folder]) => folder))
  const there = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts'))
    .map(path => path.split('/')[0])
  assert.deepEqual([...run].sort(), [...new Set(there)].sort())
})
