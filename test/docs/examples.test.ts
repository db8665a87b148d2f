import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { orderExample } from '../../src/contract/order.example.ts'
import { demoRecords } from '../../src/demo/records.ts'
import { reconcile } from '../demo/totals.ts'
import { createRecordReader } from '../../src/ingest/records/read.ts'
import { startServer } from '../helpers/server.ts'

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

test('examples/records.ndjson touches no store of a demo, however many the demo has', async () => {
  const text = await readFile(new URL('../../examples/records.ndjson', import.meta.url), 'utf8')
  const ids = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .map(record => (record.kind === 'store' ? record.id : record.store_id))
  const demo = [...demoRecords({ stores: 1000, orders: 0, days: 1, seed: 1, end: 1_793_534_400 })]
  const stores = new Set(demo.flatMap(record => (record.kind === 'store' ? [record.id] : [])))
  assert.equal(stores.size, 1000)
  assert.ok(ids.every(id => !stores.has(id)))
})

test('examples/push-orders.js pushes examples/records.ndjson, and again without harm; it reports a bad line', async () => {
  const server = await startServer()
  try {
    const { client_id, client_secret } = await server.newApp({ scope: 'platform.write' })
    const env = {
      ...process.env,
      TILLGATE_CLIENT_ID: client_id,
      TILLGATE_CLIENT_SECRET: client_secret,
      TILLGATE_URL: server.base,
    }
    const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
    const push = (file: string) =>
      promisify(execFile)(process.execPath, [example('push-orders.js'), file], { env })
    const first = await push(example('records.ndjson'))
    assert.deepEqual(JSON.parse(first.stdout), { stores: 1, items: 2, orders: 1, unchanged: 0, stale: 0 })
    const second = await push(example('records.ndjson'))
    assert.deepEqual(JSON.parse(second.stdout), { stores: 0, items: 0, orders: 0, unchanged: 4, stale: 0 })
    assert.match(first.stderr, /merchant is owner@example.com; no merchant/)
    const bare = (...args: string[]) =>
      promisify(execFile)(process.execPath, [example('push-orders.js'), ...args], { env: {} })
    for (const name of ['TILLGATE_CLIENT_ID', 'TILLGATE_CLIENT_SECRET', 'TILLGATE_URL']) {
      assert.ok((await bare('--help')).stdout.includes(name))
    }
    await assert.rejects(bare(), {
      code: 2,
      stderr: /^TILLGATE_CLIENT_ID and TILLGATE_CLIENT_SECRET must be set/,
    })
    await assert.rejects(push(example('push-orders.js')), /line 1: the record is not JSON/)
  } finally {
    await server.close()
  }
})
