import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { send } from '../helpers/raw.ts'
import { startServer, type TestServer } from '../helpers/server.ts'
import { byTest } from '../helpers/by.ts'

/** Hostile values for `changes`, `heads`, `receipts` and cursors: no fault, no other tenant's data, no forged header. */

const own = 8_800_000_000_001
const foreign = 7_700_000_000_001
const window = 'start_date=2026-11-01+00:00:00&end_date=2026-11-02+00:00:00'

let server: TestServer
let token: string
let feed: string

before(async () => {
  server = await startServer()
  for (const id of [own, foreign]) {
    const name = id === own ? 'own' : 'wronged'
    const store_id = id
    await server.push(
      sampleStore({ id, name: `${name} street` }),
      ...[1, 2, 3].map(n => sampleItem({ store_id, id: n, name: `${name} coffee` })),
      ...['a', 'b', 'c'].map(order => sampleOrder({ store_id, id: `${name}-${order}` })),
    )
  }
  const client = await server.newApp()
  await server.apps.authorize(client.client_id, [BigInt(own)], byTest)
  token = await server.token(client)
  feed = (await get(`changes?store_id=${own}`)).json.data.feed
})

after(() => server.close())

/** No answer is a fault or has anything of the other tenant. */
async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await server.get(`/integration/v1/${path}`, token, headers)
  assert.ok(answer.status < 500, `${path}: ${answer.text}`)
  assert.doesNotMatch(answer.text, /wronged/, path)
  return answer
}

const status = async (path: string): Promise<number> => (await get(path)).status

const base64 = (text: string): string => Buffer.from(text).toString('base64url')
const long = 'a'.repeat(12_000)

describe('hostile values', () => {
  const values = [
    '',
    '%20',
    '%00',
    '%ED%A0%80',
    '%ff',
    '%0d%0aX:+y',
    '1e3',
    '-1',
    '+1',
    '9'.repeat(400),
    '%27',
    '*',
    long,
  ]

  test('of after, kinds, days and feed are 422 or 409', async () => {
    for (const value of values) {
      for (const name of ['after', 'kinds', 'wait', 'count']) {
        assert.equal(
          await status(`changes?store_id=${own}&feed=${feed}&${name}=${value}`),
          422,
          `${name} ${value}`,
        )
      }
      assert.equal(await status(`receipts?store_id=${own}&start_day=2026-11-01&end_day=${value}`), 422)
      assert.equal(
        await status(`changes?store_id=${own}&after=1&feed=${value}`),
        value === '' ? 422 : 409,
        value,
      )
    }
    for (const day of ['0000-00-00', '2026-02-30', '2026-11-01T00:00:00', '12026-11-01', '2026-11-01%0a']) {
      assert.equal(await status(`receipts?store_id=${own}&start_day=${day}&end_day=2026-11-01`), 422, day)
    }
    for (const [start, end] of [
      ['0001-01-01', '0001-12-31'],
      ['9999-01-01', '9999-12-31'],
    ]) {
      assert.equal(await status(`receipts?store_id=${own}&start_day=${start}&end_day=${end}`), 200)
    }
    assert.equal(await status(`changes?store_id=${own}&after=${Number.MAX_SAFE_INTEGER}&feed=${feed}`), 409)
    for (const kinds of ['order,item,sale', 'item,item', 'ORDER', 'order;item', '__proto__']) {
      assert.equal(await status(`changes?store_id=${own}&kinds=${kinds}`), 422, kinds)
    }
  })

  test('of a feed: only its own text is accepted', async () => {
    const history = feed.slice(0, -3)
    for (const other of [
      history,
      `${history}-`,
      `-${feed}`,
      feed.toUpperCase(),
      `${feed} `,
      `x${feed}`,
      '-oi',
      '__proto__-oi',
      long,
    ]) {
      assert.equal(await status(`changes?store_id=${own}&feed=${encodeURIComponent(other)}`), 409, other)
    }
  })

  test('of another tenant’s store: 403, whatever else is sent', async () => {
    for (const path of [
      `changes?store_id=${foreign}`,
      `changes?store_id=${foreign}&after=9007199254740991&feed=x`,
      `changes?store_id=${foreign}&feed=${feed}&wait=30`,
      `receipts?store_id=${foreign}&start_day=2026-11-01&end_day=2026-11-01`,
    ]) {
      assert.equal(await status(path), 403, path)
    }
  })
})

describe('a forged cursor', () => {
  /** With the right checksum, which is no secret. */
  const forged = (list: string, filter: readonly unknown[], ...key: string[]): string =>
    base64(JSON.stringify([crc32([list, ...filter.map(String)].join(' ')).toString(36), ...key]))
  const from = Date.parse('2026-11-01T00:00:00Z') / 1000
  const ofOrders = (...key: string[]) => forged('orders', [own, from, from + 86_400, 'created_at'], ...key)
  const orders = (cursor: string) => `orders?store_id=${own}&${window}&cursor=${cursor}`

  test('leads to the own entries alone, whatever key it has', async () => {
    const ids = async (cursor: string) =>
      (await get(orders(cursor))).json.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(await ids(ofOrders('0', '')), ['own-a', 'own-b', 'own-c'])
    for (const number of ['-9223372036854775808', '9223372036854775807', '9007199254740993']) {
      for (const text of ['', long.slice(0, 4000), '\ud800', '‮', "' or 1=1 --", '\u{10ffff}']) {
        assert.equal(await status(orders(ofOrders(number, text))), 200, `${number} ${text}`)
      }
    }
    for (const [path, list] of [
      ['stores', 'stores'],
      ['changes/heads', 'heads'],
    ] as const) {
      for (const number of ['-9223372036854775808', String(foreign - 1), String(foreign)]) {
        const { json } = await get(`${path}?cursor=${forged(list, [], number)}`)
        assert.deepEqual(
          json.data.map((each: { id?: number; store_id?: number }) => each.id ?? each.store_id),
          [own],
        )
      }
    }
  })

  test('that no list gave out is 422', async () => {
    const inThe = crc32(['orders', own, from, from + 86_400, 'created_at'].join(' ')).toString(36)
    for (const cursor of [
      ofOrders('0', '\0'),
      ofOrders('0', 'a\0b'),
      ofOrders('x', 'a'),
      ofOrders('1e3', 'a'),
      ofOrders('9223372036854775808', 'a'),
      ofOrders('0'),
      ofOrders('0', 'a', 'b'),
      base64(JSON.stringify([inThe, 0, 'a'])),
      base64(JSON.stringify([inThe, '0', null])),
      base64(JSON.stringify({ 0: inThe, 1: '0', 2: 'a', length: 3 })),
      base64('['.repeat(8000)),
      base64('null'),
      'AAAA',
      '%00',
      '*',
      long,
      '%ED%A0%80',
    ]) {
      const { status, json } = await get(orders(cursor))
      assert.equal(status, 422, cursor)
      assert.equal(json.status.errors.details[0].code, 'cursor_invalid')
    }
  })
})

describe('the Link header', () => {
  const linkOf = async (path: string): Promise<string> => {
    const { status, headers, text } = await send(server.base, {
      path,
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(status, 200, text)
    assert.deepEqual(
      Object.keys(headers).filter(name => name.startsWith('x-inj')),
      [],
    )
    return String(headers['link'])
  }

  test('carries the list’s own parameters alone, in one line of bounded length', async () => {
    const clean = await linkOf(`/integration/v1/orders?store_id=${own}&${window}&count=2`)
    assert.match(clean, new RegExp(`^<${server.base}/integration/v1/orders\\?[\\w=&%:+-]+>; rel="next"$`))
    for (const extra of [
      'x=%0d%0aX-Injected:+1',
      'x=%3E;%20rel=%22prev%22',
      'x=>;rel="prev"',
      '%E0%A4%A=1',
      `${'%&'.repeat(3000)}`,
      'x=a?b',
      `x=${long}`,
      `x=${'%ff'.repeat(3000)}`,
      `${'x&'.repeat(3000)}`,
      'access_token=abc',
      'index[]=1',
      'wait=1',
    ]) {
      const path = `/integration/v1/orders?${extra}&store_id=${own}&${window}&count=2`
      assert.equal(sorted(await linkOf(path)), sorted(clean), extra.slice(0, 40))
    }
    const encoded = `/integration/v1/orders?store%5Fid=${own}&${window}&%63ount=2`
    assert.equal(decodeURIComponent(await linkOf(encoded)), decodeURIComponent(clean))
    const absolute = await linkOf(
      `http://evil.example/integration/v1/orders?store_id=${own}&${window}&count=2`,
    )
    assert.equal(absolute, clean)
  })

  const sorted = (link: string): string => link.split(/[?&>]/).toSorted().join(' ')

  test('leads to the next page, as it is', async () => {
    for (const path of [
      `/integration/v1/orders?x=a?b&count=2&store_id=${own}&start_date=2026-11-01%2000:00:00&end_date=2026-11-02+00%3A00%3A00&date_field=updated_at`,
      `/integration/v1/inventory/items?count=2&store_id=${own}&updated_after=2026-10-01+00:00:00`,
      `/integration/v1/inventory/items?count=2&store_id=${own}`,
    ]) {
      const [, next = ''] = /^<([^>]+)>/.exec(await linkOf(path)) ?? []
      const { status, json } = await get(next.slice(`${server.base}/integration/v1/`.length))
      assert.deepEqual([status, json.data.length], [200, 1], next)
    }
  })
})

describe('HEAD and If-None-Match', () => {
  test('HEAD never waits and has no body', async () => {
    const headers = { authorization: `Bearer ${token}`, 'if-none-match': '*' }
    const began = performance.now()
    for (const path of [`changes?store_id=${own}&wait=30`, 'changes/heads?wait=30']) {
      const { seq } = (await server.storage.browse.store(BigInt(own))) ?? {}
      const full = path.startsWith('changes?') ? `${path}&after=${seq}&feed=${feed}` : path
      const answer = await send(server.base, { method: 'HEAD', path: `/integration/v1/${full}`, headers })
      assert.ok([200, 304].includes(answer.status))
      assert.equal(answer.text, '')
    }
    assert.ok(performance.now() - began < 20_000)
  })

  test('odd tags of heads match nothing, and then nothing is waited for', async () => {
    const etag = (await get('changes/heads')).headers.get('etag') ?? ''
    for (const tag of [
      '""',
      'x',
      '"',
      ',',
      ',,,',
      'W/',
      'W/""',
      etag.slice(0, -2),
      `${etag}x`,
      etag.toUpperCase(),
      '"'.repeat(5000),
    ]) {
      assert.equal((await get('changes/heads?wait=30', { 'if-none-match': tag })).status, 200, tag)
    }
    for (const tag of [etag, etag.slice(2), `"x", ${etag}`, `${etag},"x"`, '*']) {
      assert.equal((await get('changes/heads', { 'if-none-match': tag })).status, 304, tag)
    }
  })

  test('`*` matches every version, so there is nothing to wait for', async () => {
    const began = performance.now()
    assert.equal((await get('changes/heads?wait=30', { 'if-none-match': '*' })).status, 304)
    assert.ok(performance.now() - began < 20_000)
  })
})
