import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { build } from 'esbuild'
import fc from 'fast-check'
import client from '../../client/package.json' with { type: 'json' }
import type { Item, Order, Receipts, Store } from '../../client/src/index.ts'
import { errorCodes, parseExact, signWebhook, stringifyExact, verifyWebhook } from '../../client/src/index.ts'
import { readPage } from '../../client/src/mirror/page.ts'
import type { Static } from 'typebox'
import type { Receipts as SentReceipts } from '../../src/contract/changes.ts'
import type { Item as SentItem } from '../../src/contract/item.ts'
import type { Order as SentOrder } from '../../src/contract/order.ts'
import type { Store as SentStore } from '../../src/contract/store.ts'
import { redirectErrors, catalogue, tokenErrors } from '../../src/errors.ts'

/** Without `bigint`, the client's other form of an integer. */
type AsSent<T> = T extends bigint
  ? never
  : T extends (infer E)[]
    ? AsSent<E>[]
    : T extends object
      ? { [K in keyof T]: AsSent<T[K]> }
      : T

/** Both ways: the same fields, and null in the same ones. */
type Agree<Read, Sent> = [AsSent<Read>, Sent] extends [Sent, AsSent<Read>] ? true : never

test('the types have the fields and nulls of the server’s schemas', () => {
  // The compiler compares them, in `npm run check`. The client leaves open what `shipping` will be.
  const store: Agree<Store, Static<typeof SentStore>> = true
  const item: Agree<Item, SentItem> = true
  const order: Agree<Omit<Order, 'shipping'>, Omit<SentOrder, 'shipping'>> = true
  const receipts: Agree<Receipts, Static<typeof SentReceipts>> = true
  assert.ok(store && item && order && receipts)
})

describe('exact JSON', () => {
  test('an integer beyond 2^53 is a bigint; every other value is as JSON.parse gives it', () => {
    const text =
      '[9007199254740993,-9223372036854775808,9007199254740991,1.2345678901234567,1e20,12345678901234567e3,"9007199254740993 \\" 9007199254740993",{"12345678901234567890":12345678901234567890}]'
    assert.deepEqual(parseExact(text), [
      9007199254740993n,
      -9223372036854775808n,
      9007199254740991,
      1.2345678901234567,
      1e20,
      12345678901234567e3,
      '9007199254740993 " 9007199254740993',
      { '12345678901234567890': 12345678901234567890n },
    ])
    const long = 'x'.repeat(20_000_000)
    assert.deepEqual(parseExact(`["${long}",9007199254740993]`), [long, 9007199254740993n])
    assert.throws(() => parseExact('{"a":9007199254740993'), SyntaxError)
    assert.throws(() => parseExact('[09007199254740993]x'), SyntaxError)
  })

  test('what is written is read again', () => {
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }),
        fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
        fc.maxSafeInteger(),
        fc.array(tie('any')),
        fc.dictionary(
          fc.string().filter(key => key !== '__proto__'),
          tie('any'),
          { noNullPrototype: true },
        ),
      ),
    })).any
    fc.assert(fc.property(value, value => assert.deepEqual(parseExact(stringifyExact(value)), value)))
  })
})

test('the package names its entry a second time, for programs that do not read `exports`', () => {
  const { main, types, exports } = client
  assert.deepEqual({ default: main, types }, { default: exports['.'].default, types: exports['.'].types })
})

test('error codes: those of the server, by name', () => {
  const known: readonly string[] = errorCodes
  const missing = [catalogue, tokenErrors, redirectErrors]
    .flatMap(each => Object.keys(each))
    .filter(code => !known.includes(code))
  assert.deepEqual(missing, [])
})

describe('verifyWebhook', () => {
  const key = Buffer.from('0123456789abcdef0123456789abcdef')
  const secret = `whsec_${key.toString('base64')}`
  const now = () => 1_795_000_000_000
  const body =
    '{"type":"store.changed","timestamp":"2026-11-18T11:06:40Z","data":{"store_id":9007199254740993,"seq":17,"feed":"f"}}'
  const id = 'msg_1'
  const sign = (text: string, timestamp: number | string = 1_795_000_000, by = key) =>
    `v1,${createHmac('sha256', by).update(`${id}.${timestamp}.${text}`).digest('base64')}`
  const headers = (changes: Record<string, string | undefined> = {}) => ({
    'webhook-id': id,
    'webhook-timestamp': '1795000000',
    'webhook-signature': sign(body),
    ...changes,
  })
  const other = `whsec_${Buffer.from('another').toString('base64')}`

  test('gives the event, from text or bytes, headers of any kind, and one of several secrets or signatures', async () => {
    const event = await verifyWebhook({ secret, headers: headers(), body, now })
    assert.deepEqual(event, {
      id,
      type: 'store.changed',
      timestamp: '2026-11-18T11:06:40Z',
      data: { store_id: 9007199254740993n, seq: 17, feed: 'f' },
    })
    const signatures = `v1a,abc v1,${'A'.repeat(43)}= ${sign(body)}`
    const accepted = [
      { headers: new Headers(headers()), body: Buffer.from(body) },
      { headers: { 'Webhook-Id': [id], 'Webhook-Timestamp': '1795000000', 'Webhook-Signature': sign(body) } },
      { headers: headers({ 'webhook-signature': signatures }) },
      { headers: new Map(Object.entries(headers())) as never },
      { secret: [other, secret] },
      { secret: [undefined, '', secret] },
      { now: () => now() + 300_000 },
      { now: () => now() - 300_000 },
    ]
    for (const each of accepted) {
      assert.deepEqual(await verifyWebhook({ secret, headers: headers(), body, now, ...each }), event)
    }
  })

  test('refuses what was changed, is too old, or was signed with another secret', async () => {
    const refused: object[] = [
      { body: `${body} ` },
      { secret: other },
      { now: () => now() + 301_000 },
      { now: () => now() - 301_000 },
      { headers: headers({ 'webhook-id': 'msg_2' }) },
      { headers: headers({ 'webhook-timestamp': '1795000001' }) },
      {
        headers: headers({
          'webhook-timestamp': '1795000000.0',
          'webhook-signature': sign(body, '1795000000.0'),
        }),
      },
      { headers: headers({ 'webhook-timestamp': 'NaN', 'webhook-signature': sign(body, 'NaN') }) },
      { headers: headers({ 'webhook-signature': '' }) },
      { headers: headers({ 'webhook-signature': undefined }) },
      { headers: headers({ 'webhook-signature': sign(body).slice(3) }) },
      { headers: headers({ 'webhook-signature': `v1a,${sign(body).slice(3)}` }) },
      { headers: headers({ 'webhook-signature': sign('7') }), body: '7' },
      { headers: headers({ 'webhook-signature': sign('no JSON') }), body: 'no JSON' },
    ]
    for (const each of refused) {
      const call = verifyWebhook({ secret, headers: headers(), body, now, ...each })
      await assert.rejects(call, { code: 'webhook_invalid' }, JSON.stringify(each))
    }
    for (const none of [undefined, '', [], [undefined, '']]) {
      const call = verifyWebhook({ secret: none as string, headers: headers(), body, now })
      await assert.rejects(call, { name: 'TypeError', message: 'secret is missing' })
    }
    await assert.rejects(verifyWebhook({ secret: 'whsec_', headers: headers(), body, now }), TypeError)
  })

  test('accepts what signWebhook signs', async () => {
    const signed = await signWebhook({ secret, id, timestamp: 1_795_000_000, body })
    assert.deepEqual(signed, headers())
  })
})

test('the library is below 20 KB minified, and runs where there is no Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../../client/src/index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    // A module of Node would not resolve.
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const [output] = outputFiles
  assert.ok(output && output.contents.length < 20 * 1024, `${output?.contents.length} bytes`)
  assert.doesNotMatch(Object.keys(metafile.inputs).join(), /commands|mirror|conform|listen/)
})

test('a page of changes keeps the text of its entries; a page that is cut off anywhere is refused', () => {
  const data = '{"id":9007199254740993,"a":[1.10,{"b":"}],\\"\\\\"}],"c":null}'
  const entry = `{"seq":17,"kind":"item","id":9007199254740993,"data":${data}}`
  const text = `{"status":{"ack":200,"errors":null},"data":{"feed":"f\\u0041","kinds":["item"],"changes":[${entry}, ${entry}],"next":17,"more":false}}`
  const change = { kind: 'item', seq: 17, id: '9007199254740993', data }
  const page = { feed: 'fA', next: 17, more: false, kinds: ['item'], changes: [change, change] }
  assert.deepEqual(readPage(text), page)
  assert.deepEqual(readPage(JSON.stringify({ data: { ...page, changes: [] } }, null, 2)), {
    ...page,
    changes: [],
  })
  for (let end = 0; end < text.length; end++) assert.throws(() => readPage(text.slice(0, end)), SyntaxError)
})
