import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { createRecordWriter } from '../../src/ingest/record-writer.ts'
import { byTest } from '../helpers/by.ts'
import { emptyDatabase, onPostgres } from '../helpers/engine.ts'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { openStorage } from '../helpers/storage.ts'

/** Many requests that wait: what they cost others, and how they end. */

const stores = 50
const ofStore = 10

let server: TestServer
let database: string
let token: string
let writer: string
let ended: { store_id: number; answer: Answer }[] = []
let all: Promise<unknown>

before(async () => {
  database = await emptyDatabase({ shared: true })
  server = await startServer({ database, config: { max_waiting: stores * ofStore } })
  const client = await server.newApp()
  token = await server.token(client)
  writer = await server.token(await server.newApp({ scope: 'platform.write' }))
  const ids = Array.from({ length: stores }, (_, i) => i + 1)
  await server.push(...ids.map(id => sampleStore({ id })))
  await server.apps.authorize(client.client_id, ids.map(BigInt), byTest)
  const wait = async (store_id: number) => {
    const answer = await server.get(`/integration/v1/changes?store_id=${store_id}&wait=30`, token)
    ended.push({ store_id, answer })
  }
  all = Promise.all(ids.flatMap(id => Array.from({ length: ofStore }, () => wait(id))))
  await until(metrics => metrics.includes(`tillgate_waiting_requests ${stores * ofStore}\n`))
})
after(() => server.close())

async function until(condition: (metrics: string) => boolean): Promise<string> {
  for (;;) {
    const { text } = await server.get('/metrics')
    if (condition(text)) return text
    await new Promise(setImmediate)
  }
}

async function push(...records: object[]): Promise<void> {
  const { status } = await fetch(`${server.base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/x-ndjson' },
    body: records.map(record => JSON.stringify(record)).join('\n'),
  })
  assert.equal(status, 200)
}

test('waiting requests hold no slot of admission control: others are answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => server.get('/integration/v1/changes?store_id=1', token)),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(ended.length, 0)
})

test('a change ends the wait of the requests for its store, and of no other', async () => {
  await push(sampleOrder({ store_id: 7 }), sampleItem({ store_id: 7 }))
  const metrics = await until(() => ended.length >= ofStore)
  assert.deepEqual(new Set(ended.map(({ store_id }) => store_id)), new Set([7]))
  for (const { answer } of ended) assert.equal(answer.json.data.changes.length, 2)
  assert.match(metrics, new RegExp(`^tillgate_waiting_requests ${(stores - 1) * ofStore}$`, 'm'))
  ended = []
})

test('metrics count changes by kind, and the time from a change to the response', async () => {
  const { text } = await server.get('/metrics')
  assert.match(text, new RegExp(`^tillgate_changes_served_total\\{kind="order"\\} ${ofStore}$`, 'm'))
  assert.match(text, new RegExp(`^tillgate_changes_served_total\\{kind="item"\\} ${ofStore}$`, 'm'))
  assert.match(text, new RegExp(`^tillgate_wake_up_duration_seconds_count ${ofStore}$`, 'm'))
})

test('the database is asked once for all of them', async () => {
  const moved = mock.method(server.storage.changes, 'moved')
  const page = mock.method(server.storage.changes, 'page')
  const sizes = () => moved.mock.calls.map(({ arguments: [known] }) => known.size)
  await push(sampleItem({ store_id: 7, id: 13 }))
  while (!sizes().includes(stores - 1)) await new Promise(setImmediate)
  assert.equal(page.mock.callCount(), 0)
  // SQLite can tell that nothing was stored since.
  if (!onPostgres) while (sizes().at(-1) !== 0) await new Promise(setImmediate)
  mock.restoreAll()
})

test('a change of another process ends the wait, also one that comes just before it', async () => {
  const other = await openStorage(database)
  const { next: newest, feed } = (await server.get('/integration/v1/changes?store_id=7', token)).json.data
  const { changes } = server.storage
  const questions: Set<bigint>[] = []
  const moved = changes.moved.bind(changes)
  mock.method(changes, 'moved', (known: Map<bigint, number>) => {
    questions.push(new Set(known.keys()))
    return moved(known)
  })
  const read = changes.page.bind(changes)
  let before = 0
  // The page is read before the other process stores, and the wait begins when that change was asked for already.
  const page = mock.method(changes, 'page', async (...values: Parameters<typeof read>) => {
    page.mock.restore()
    const found = await read(...values)
    const writer = createRecordWriter({ storage: other, clock: server.clock })
    await writer.write([{ line: 1, text: JSON.stringify(sampleItem({ store_id: 7, id: 14 })) }])
    const from = questions.length
    while (!questions.slice(from).some(({ size }) => size >= stores - 1)) await new Promise(setImmediate)
    before = questions.length
    return found
  })
  const { json } = await server.get(
    `/integration/v1/changes?store_id=7&after=${newest}&feed=${feed}&wait=30`,
    token,
  )
  assert.equal(json.data.changes.length, 1)
  assert.ok(questions[before]?.has(7n), 'by the first question after it began')
  mock.restoreAll()
  await other.close()
})

test('a wait ends when its client leaves, and is not counted as time of the request', async () => {
  const count = (metrics: string) => Number(/^tillgate_waiting_requests (\d+)$/m.exec(metrics)?.[1])
  const others = count((await server.get('/metrics')).text)
  const client = new AbortController()
  const sent = performance.now()
  const request = fetch(`${server.base}/integration/v1/changes?store_id=8&wait=30`, {
    headers: { authorization: `Bearer ${token}` },
    signal: client.signal,
  })
  await until(metrics => count(metrics) === others + 1)
  const began = performance.now()
  while (performance.now() - began < 300) await server.get('/metrics')
  client.abort()
  await assert.rejects(request)
  const aborted = /^tillgate_http_request_duration_seconds_sum\{.*status="aborted".*\} (\S+)$/m
  const metrics = await until(text => count(text) === others && aborted.test(text))
  // However long the rest took on a busy machine, at least 0.3 s of it were the wait.
  const longest = (performance.now() - sent) / 1000 - 0.3
  assert.ok(Number(aborted.exec(metrics)?.[1]) < longest)
})

test('when the server closes, each is answered with an empty page, without reading again', async () => {
  const page = mock.method(server.storage.changes, 'page')
  const began = performance.now()
  await Promise.all([server.app.close(), all])
  assert.ok(performance.now() - began < 20_000)
  assert.equal(ended.length, (stores - 1) * ofStore)
  for (const { answer } of ended) {
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json.data.changes, [])
  }
  assert.equal(page.mock.callCount(), 0)
})
