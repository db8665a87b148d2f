import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const tests = join(import.meta.dirname, '..')
const suites = (kind: string): string =>
  readdirSync(join(tests, 'suites', kind))
    .map(name => readFileSync(join(tests, 'suites', kind, name), 'utf8'))
    .join()

test('npm test, test:pages and test:faults run every test file', () => {
  const { scripts } = JSON.parse(readFileSync(join(tests, '../package.json'), 'utf8'))
  const byGlob = new Set(
    [...scripts['test:alone'].matchAll(/test\/(\w+)\/\*\.test\.ts/g)].map(([, folder]) => folder),
  )
  const inSuites = new Set(
    ['faults', 'own', 'pages', 'sqlite']
      .flatMap(folder => [...suites(folder).matchAll(/filesOf\('(\w+)'/g)])
      .map(([, folder]) => folder),
  )
  const missed = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter(path => {
      const [folder, ...rest] = path.split('/')
      return !inSuites.has(folder) && !(byGlob.has(folder) && rest.length === 1)
    })
  assert.deepEqual(missed, [])
})
