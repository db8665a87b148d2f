import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { auditActions } from '../../src/domain/audit/sentences.ts'

const page = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8')

test('docs/audit.md lists exactly the actions of the code', () => {
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  const listed = rows.flatMap(line =>
    [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  assert.deepEqual(listed.sort(), Object.keys(auditActions).sort())
})
