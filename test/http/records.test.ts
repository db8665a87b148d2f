import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { fulfillments, sources } from '../../src/contract/codes.ts'
import { noRecords } from '../../src/contract/record.ts'
import { rawNumber } from '../../src/lib/exact-json.ts'
import { badRecords } from '../helpers/bad-records.ts'
import { orderArbitrary } from '../helpers/order-arbitrary.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type Answer, answerOf, startServer, type TestServer } from '../helpers/server.ts'
import { byTest } from '../helpers/by.ts'
import { beforeDatabase } from '../helpers/engine.ts'

let server: TestServer
let token: string

before(async () => {
  server = await startServer({ threads: 2 })
  token = await server.token(await server.newApp({ scope: 'platform.write' }))
  await server.newAccount('owner@example.com')
})
after(() => server.close())

type Body = string | Buffer | ReadableStream

async function push(body: Body, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${server.base}/platform/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson', ...headers },
    body: body as NonNullable<RequestInit['body']>,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  return answerOf(response)
}

const ndjson = (...records: (object | string)[]) =>
  records.map(record => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n')

const gzip = { 'content-encoding': 'gzip' }

const code = ({ status, json }: Answer) => [status, json.status.errors?.code]

/** A body that is made while it is sent. */
const streamed = (pieces: number, piece: Buffer): ReadableStream =>
  Readable.toWeb(Readable.from(Array.from({ length: pieces }, () => piece))) as ReadableStream

describe('POST /platform/v1/records', () => {
  test('records: what is stored is counted, in the envelope; sent again, it is unchanged', async () => {
    const body = ndjson(sampleStore({ id: 1 }), sampleItem({ store_id: 1 }), sampleOrder({ store_id: 1 }))
    const first = await push(body)
    assert.deepEqual(first.json, {
      status: { timestamp: server.clock.now(), ack: 200, errors: null },
      data: { stores: 1, items: 1, orders: 1, unchanged: 0, stale: 0 },
    })
    const again = await push(`${body}\n`, { 'content-type': 'application/jsonl' })
    assert.deepEqual(again.json.data, { stores: 0, items: 0, orders: 0, unchanged: 3, stale: 0 })
  })

  test('records: stale records are counted and named, with exact ids; an email that no merchant has is a warning', async () => {
    const id = rawNumber('9007199254740993')
    const order = (minute: number) =>
      sampleOrder({ store_id: 8, updated_at: `2026-11-01 10:0${minute}:00`, tips: minute })
    const item = (hour: number) =>
      sampleItem({ store_id: 8, id, updated_at: `2026-11-01 0${hour}:00:00`, price: hour })
    await server.newAccount('developer@example.com', 'developer')
    const store = sampleStore({ id: 8, merchant: 'Nobody@Example.com' })
    const developers = sampleStore({ id: 9, merchant: 'developer@example.com' })
    const { text, json } = await push(ndjson(store, item(9), order(2), item(8), order(1), developers))
    const warning = (line: number, email: string) => ({
      line,
      field: 'merchant',
      code: 'merchant_unknown',
      message: `line ${line}: merchant is ${email}; no merchant has this email, so nobody owns the store until one does`,
    })
    assert.deepEqual(json.data.warnings, [
      warning(1, 'nobody@example.com'),
      warning(6, 'developer@example.com'),
    ])
    const [stale] = json.data.stale_records
    assert.ok(text.includes('"id":9007199254740993'))
    const times = { updated_at: '2026-11-01 08:00:00', stored_updated_at: '2026-11-01 09:00:00' }
    assert.deepEqual({ ...stale, id: 0 }, { line: 4, kind: 'item', id: 0, ...times })
    assert.deepEqual(json.data.stale_records[1], {
      line: 5,
      kind: 'order',
      id: 'O-1',
      updated_at: '2026-11-01 10:01:00',
      stored_updated_at: '2026-11-01 10:02:00',
    })
    assert.equal(json.data.stale, 2)
    await server.newAccount('nobody@example.com')
    assert.deepEqual((await push(ndjson(store, item(9)))).json.data, { ...noRecords, unchanged: 2 })
    assert.deepEqual(
      (await server.storage.stores.ofMerchant('nobody@example.com')).map(({ id }) => id),
      [8n],
    )
  })

  test('records: updated_at may be 24 hours ahead of the server’s clock and no more, also by way of created_at', async () => {
    const [latest, later] = ['2026-11-02 12:00:00', '2026-11-02 12:00:01']
    const store = sampleStore({ id: 9 })
    const item = (updated_at: string) => sampleItem({ store_id: 9, updated_at })
    const order = (over: object) => sampleOrder({ store_id: 9, ...over })
    assert.equal((await push(ndjson(store, item(latest), order({ updated_at: latest })))).status, 200)
    const { json } = await push(
      ndjson(
        item(later),
        order({ updated_at: later }),
        order({ updated_at: null, created_at: later }),
        order({ created_at: later }),
      ),
    )
    assert.deepEqual(
      json.status.errors.details.map(({ line, field, code }: any) => [line, field, code]),
      [1, 2, 3].map(line => [line, 'updated_at', 'future']),
    )
    assert.equal(
      json.status.errors.details[0].message,
      `line 1: updated_at is ${later}; it must be at most 24 hours after the server's time: until ${latest}`,
    )
  })

  test('records: a batch of more than 2 MiB waits while another is in memory, and is stored after it', async () => {
    const carts = Array.from({ length: 200 }, () => sampleCart({ name: 'x'.repeat(4000) }))
    const lines = (store_id: number, count: number) =>
      `${ndjson(
        sampleStore({ id: store_id }),
        ...Array.from({ length: count }, (_, i) => sampleOrder({ store_id, id: `o${i}`, carts })),
      )}\n`
    const first = request(`${server.base}/platform/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    })
    const answered = new Promise<number>((resolve, reject) => {
      first.on('error', reject)
      first.on('response', answer => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
    })
    // More than the buffers of the connection hold: once it is written, the server has read several MiB of it.
    await new Promise(resolve => first.write(lines(501, 24), resolve))
    let isWaiting = true
    const second = push(lines(502, 4)).finally(() => {
      isWaiting = false
    })
    // Small batches are stored meanwhile, in more time than the second one takes; but not so long that the first is given up.
    const end = performance.now() + 2000
    for (let i = 0; i < 50 && performance.now() < end; i++)
      assert.equal((await push(ndjson(sampleStore({ id: 1 })))).status, 200)
    assert.ok(isWaiting)
    first.end()
    assert.deepEqual([await answered, (await second).json.data.orders], [200, 4])
  })

  const tooLarge = 'records: records that exceed 80 MiB as stored, with every field, are 413 with that limit'
  test(tooLarge, { skip: beforeDatabase }, async () => {
    const cart = JSON.stringify({ type: 2, count: 1 })
    const order = JSON.stringify({
      kind: 'order',
      store_id: 1,
      id: 'o',
      status: 2,
      created_at: '2026-11-01 09:00:00',
      carts: [],
    }).replace('[]', `[${Array(1000).fill(cart).join()}]`)
    const { status, json } = await push(gzipSync(`${order}\n`.repeat(600)), gzip)
    assert.equal(status, 413)
    assert.match(json.status.errors.message, /more than 83886080 bytes as stored/)
  })

  test('records: the 415 names what was sent and what is accepted', async () => {
    const message = async (headers: Record<string, string>) =>
      (await push('{}', headers)).json.status.errors.message
    const form = 'application/x-www-form-urlencoded'
    const accepted = 'it must be application/x-ndjson or application/jsonl'
    assert.equal(await message({ 'content-type': form }), `Content-Type is ${form}; ${accepted}`)
    assert.equal(await message({ 'content-type': '' }), `There is no Content-Type; ${accepted}`)
    assert.equal(
      await message({ 'content-encoding': 'br' }),
      'Content-Encoding is br; it must be gzip or identity',
    )
  })

  test('records: a body that is given up half-way keeps nobody waiting who sends on', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = (body: Buffer, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = request(`${server.base}/platform/v1/records`, {
          method: 'POST',
          agent,
          timeout: 30_000,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson', ...headers },
        })
        sent.on('response', answer => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
        sent.on('timeout', () => sent.destroy(new Error('no answer')))
        sent.on('error', reject)
        sent.end(body)
      })
    const store = Buffer.from(ndjson(sampleStore({ id: 770_001 })))
    assert.equal(await send(Buffer.alloc(500_000, 'x'), gzip), 400)
    assert.equal(await send(store, {}), 200)
    agent.destroy()
  })

  test('records: gzip is accepted, in one piece and in several members', async () => {
    const members = [sampleStore({ id: 2 }), sampleOrder({ store_id: 2 })].map(record =>
      gzipSync(`${ndjson(record)}\n`),
    )
    assert.deepEqual((await push(Buffer.concat(members), gzip)).json.data, {
      stores: 1,
      items: 0,
      orders: 1,
      unchanged: 0,
      stale: 0,
    })
  })

  test('records: a body that arrives byte by byte, without a length, is read', async () => {
    const bytes = Buffer.from(ndjson(sampleStore({ id: 3, name: 'Café 😀' })))
    const body = Readable.toWeb(Readable.from([...bytes].map(byte => Buffer.from([byte])))) as ReadableStream
    assert.equal((await push(body)).json.data.stores, 1)
  })

  for (const { name, record, problems } of badRecords.filter(
    bad => !bad.problems[0]?.startsWith('too_long'),
  )) {
    const title = `records: ${name} is refused with 422 and its line, and nothing is stored`
    test(title, { skip: beforeDatabase }, async () => {
      const { status, json } = await push(ndjson(sampleStore({ id: 404 }), '', record))
      assert.equal(status, 422)
      const { code, details } = json.status.errors
      assert.equal(code, 'record_invalid')
      assert.deepEqual(
        details.map((detail: { code: string; message: string }) => `${detail.code} ${detail.message}`),
        problems,
      )
      assert.equal(await server.storage.stores.exists(404n), false)
    })
  }

  const refusals: {
    name: string
    body: () => Body
    headers?: Record<string, string>
    expected: [number, string]
  }[] = [
    { name: 'an empty body', body: () => '', expected: [422, 'record_invalid'] },
    { name: 'a body of blank lines', body: () => '\n\r\n \n', expected: [422, 'record_invalid'] },
    {
      name: 'application/json',
      body: () => '{}',
      headers: { 'content-type': 'application/json' },
      expected: [415, 'media_type_unsupported'],
    },
    {
      name: 'text/plain',
      body: () => '{}',
      headers: { 'content-type': 'text/plain' },
      expected: [415, 'media_type_unsupported'],
    },
    {
      name: 'no media type',
      body: () => '{}',
      headers: { 'content-type': '' },
      expected: [415, 'media_type_unsupported'],
    },
    {
      name: 'the encoding br',
      body: () => 'x',
      headers: { 'content-encoding': 'br' },
      expected: [415, 'media_type_unsupported'],
    },
    {
      name: 'gzip that ends early',
      body: () => gzipSync(ndjson(sampleStore({ id: 404 }))).subarray(0, -9),
      headers: gzip,
      expected: [400, 'request_malformed'],
    },
    {
      name: 'gzip that is none',
      body: () => ndjson(sampleStore({ id: 404 })),
      headers: gzip,
      expected: [400, 'request_malformed'],
    },
    {
      name: 'gzip with a wrong checksum',
      body: () => {
        const bytes = gzipSync(ndjson(sampleStore({ id: 404 })))
        bytes.writeUInt32LE(1, bytes.length - 8)
        return bytes
      },
      headers: gzip,
      expected: [400, 'request_malformed'],
    },
    {
      name: 'a gzip bomb',
      body: () => gzipSync(`${' '.repeat(1024 * 1024 - 1)}\n`.repeat(65)),
      headers: gzip,
      expected: [413, 'body_too_large'],
    },
    {
      name: 'more than 32 MiB',
      body: () => streamed(200, Buffer.from(`${' '.repeat(1024 * 1024 - 1)}\n`)),
      expected: [413, 'body_too_large'],
    },
    { name: 'more than 50,000 lines', body: () => '\n'.repeat(50_001), expected: [413, 'body_too_large'] },
    {
      name: 'a line of more than 1 MiB',
      body: () => ' '.repeat(1024 * 1024 + 1),
      expected: [413, 'body_too_large'],
    },
    {
      name: 'bytes that are not UTF-8',
      body: () => Buffer.from([0x22, 0xff, 0x22]),
      expected: [422, 'record_invalid'],
    },
  ]
  for (const { name, body, headers = {}, expected } of refusals) {
    const title = `records: ${name} is refused with ${expected[0]}, and the connection still works`
    test(title, { skip: beforeDatabase }, async () => {
      assert.deepEqual(code(await push(body(), headers)), expected)
      assert.equal(await server.storage.stores.exists(404n), false)
      assert.equal((await push(ndjson(sampleStore({ id: 1 })))).status, 200)
    })
  }

  test('records: exactly 50,000 lines and a line of exactly 1 MiB are read', async () => {
    const store = ndjson(sampleStore({ id: 6 }))
    const long = store.padEnd(1024 * 1024)
    assert.equal((await push(`${long}\n${'\n'.repeat(49_999)}`)).status, 200)
  })

  test('records: a bad line behind good ones is named by its number in the body', async () => {
    const { json } = await push(
      `${ndjson(sampleStore({ id: 404 }), '', sampleOrder({ store_id: 404, status: 1 }))}\n`,
    )
    const [{ line, field, message }] = json.status.errors.details
    assert.deepEqual([line, field], [3, 'status'])
    assert.equal(message, 'line 3: status is 1; it must be one of 2, 3, 11')
  })

  test('records: a client that goes away in the middle stores nothing and breaks nothing', async () => {
    await new Promise<void>(resolve => {
      const sending = request(`${server.base}/platform/v1/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      })
      sending.on('error', () => resolve())
      sending.write(`${ndjson(sampleStore({ id: 404 }))}\n`, () => setTimeout(() => sending.destroy(), 50))
      sending.on('close', resolve)
    })
    await new Promise(resolve => setTimeout(resolve, 50))
    assert.equal(await server.storage.stores.exists(404n), false)
    assert.ok(!server.log.some(line => line.includes('"level":50')), server.log.join(''))
  })

  test('records: another method is answered with 405', async () => {
    const answer = await server.get('/platform/v1/records', token)
    assert.deepEqual([...code(answer), answer.headers.get('allow')], [405, 'method_not_allowed', 'POST'])
  })

  test('records: without a token 401, with a third party’s 403, before the body is looked at', async () => {
    const other = await server.token(await server.newApp())
    const answers = await Promise.all(
      ['', `Bearer ${other}`].map(authorization => push('nonsense', { authorization })),
    )
    assert.deepEqual(answers.map(code), [
      [401, 'token_missing'],
      [403, 'scope_insufficient'],
    ])
  })
})

test('records: a disabled app and a revoked token can push nothing', async () => {
  const app = await server.newApp({ scope: 'platform.write' })
  const own = await server.token(app)
  const line = JSON.stringify(sampleStore({ id: 77 }))
  const pushAs = async (bearer: string) => {
    const answer = await push(line, { authorization: `Bearer ${bearer}` })
    return [answer.status, answer.json.status.errors?.code]
  }
  const { client_id, client_secret } = app
  await server.post('/auth/v2/revoke', { token: own, client_id, client_secret })
  assert.deepEqual(await pushAs(own), [401, 'token_revoked'])
  const another = await server.token(app)
  await server.storage.apps.setDisabled(client_id, server.clock.now())
  assert.deepEqual(await pushAs(another), [401, 'token_revoked'])
  assert.equal(await server.storage.stores.exists(77n), false)
})

test('records: any valid order comes out of the order list as it went in, byte for byte by its canonical form', async () => {
  const id = 77n
  await push(ndjson(sampleStore({ id: 77 })))
  const client = await server.newApp({ scope: 'integration.order' })
  await server.apps.authorize(client.client_id, [id], byTest)
  const reading = await server.token(client)
  const orders = fc.array(orderArbitrary, { minLength: 20, maxLength: 20 })
  let run = 0
  await fc.assert(
    fc.asyncProperty(orders, async generated => {
      run++
      // Ids of their own, or an older version of one would rightly not overwrite a newer.
      const records = generated.map((order, i) => ({
        ...order,
        id: `${run}-${i} ${order.id}`.slice(0, 60),
        store_id: rawNumber('77'),
      }))
      const sent = await push(ndjson(...records.map(order => ({ kind: 'order', ...order }))))
      assert.equal(sent.status, 200, sent.text)
      for (const order of records.slice(0, 3)) {
        const window = new URLSearchParams({
          store_id: '77',
          start_date: order.created_at,
          end_date: order.created_at,
        })
        const { text } = await server.get(`/integration/v1/orders?${window}`, reading)
        const { source_type, fulfillment_type } = order
        const canonical = JSON.stringify({
          ...order,
          source: source_type === null ? null : sources[source_type as keyof typeof sources],
          fulfillment:
            fulfillment_type === null ? null : fulfillments[fulfillment_type as keyof typeof fulfillments],
        })
        assert.ok(text.includes(canonical), `${canonical}\nis not in\n${text}`)
      }
    }),
    { numRuns: 15 },
  )
})
