import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { orderExample } from '../../src/contract/order.example.ts'
import { reconcile } from '../../src/demo/totals.ts'
import { createRecordReader } from '../../src/domain/records/read.ts'

test('the API reference’s example order is a valid record, comes out as it is shown, and adds up', () => {
  const read = createRecordReader().read(1, JSON.stringify({ kind: 'order', ...orderExample }))
  assert.ok(read !== null && !Array.isArray(read))
  assert.equal(read.row.doc, JSON.stringify(orderExample))
  assert.deepEqual(reconcile({ kind: 'order', ...orderExample } as never), [])
})

test('docs/ingest.md: every record that it shows is valid', async () => {
  const text = await readFile(new URL('../../docs/ingest.md', import.meta.url), 'utf8')
  const lines = text.split('\n').filter(line => line.startsWith('{"kind"'))
  assert.equal(lines.length, 3)
  const reader = createRecordReader()
  for (const line of lines) assert.ok(!Array.isArray(reader.read(1, line)), line)
})
