import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Browser } from '../helpers/browser.ts'
import { byTest } from '../helpers/by.ts'
import { assertNoInlineCode, linked, textOf, wordsOf } from '../helpers/html.ts'
import { sampleCart, sampleItem, sampleOrder, sampleStore } from '../helpers/orders.ts'
import { type Answer, startServer, type TestServer } from '../helpers/server.ts'
import { assertError } from '../helpers/surfaces.ts'

/** Orders, items and sales of a store on the pages: the same data as the API gives, for those who may see it. */

let server: TestServer
let token: string
let owner: Browser
let other: Browser
let operator: Browser

const big = 9007199254740993n
/** JSON.stringify has no int64. */
const exact = (record: object): object => JSON.parse(JSON.stringify(record))
const pad = (n: number) => String(n).padStart(2, '0')

before(async () => {
  server = await startServer()
  for (const name of ['owner', 'other']) await server.newAccount(`${name}@example.com`)
  await server.newAccount('op@example.com', 'operator')
  await server.newAccount('dev@example.com', 'developer')
  await server.push(
    sampleStore(),
    sampleStore({ id: 1002, name: 'Empty <b>Lane</b>' }),
    sampleStore({ id: 2001, name: 'Elsewhere', merchant: 'other@example.com' }),
    sampleItem(),
    sampleItem({ id: 13, name: '=HYPERLINK("x")', category_name: 'Crème', price: 300 }),
    sampleItem({ id: 14, name: 'Gone', status: 4 }),
  )
  // The local day 2026-11-01 of Sydney: from 2026-10-31 13:00 UTC on.
  const many = Array.from({ length: 130 }, (_, i) =>
    exact(
      sampleOrder({
        id: `many/${i} é?`,
        order_number: `N${i}`,
        created_at: `2026-10-31 ${14 + Math.floor(i / 60)}:${pad(i % 60)}:00`,
        source_type: i % 2 === 0 ? 1 : 40,
        source: i % 2 === 0 ? 'Offline' : 'Online',
        status: i % 10 === 0 ? 11 : 2,
      }),
    ),
  )
  await server.push(
    ...many,
    sampleOrder({ id: 'first', order_number: 'A1', created_at: '2026-10-31 13:00:00' }),
    sampleOrder({ id: 'last', order_number: 'A2', created_at: '2026-11-01 12:59:59' }),
    sampleOrder({ id: 'before', order_number: 'A3', created_at: '2026-10-31 12:59:59' }),
    sampleOrder({ id: 'after', order_number: 'A4', created_at: '2026-11-01 13:00:00', status: 3 }),
    sampleOrder({ id: 'old', order_number: 'OLD-77 "x"', created_at: '2024-02-29 10:00:00' }),
    sampleOrder({ id: 'formula', order_number: '=cmd|"/c"!A1', created_at: '2025-01-01 10:00:00' }),
  )
  // Beside an id that is not a safe integer.
  const text = JSON.stringify(
    sampleOrder({ id: 'exact', created_at: '2025-06-01 10:00:00', carts: [sampleCart({ menu_id: 12 })] }),
  )
  const platform = await server.newApp({ name: 'Till', scope: 'platform.write' })
  const pushed = await fetch(`${server.base}/platform/v1/records`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await server.token(platform)}`,
      'content-type': 'application/x-ndjson',
    },
    body: text.replace('"menu_id":12', `"menu_id":${big}`),
  })
  assert.equal(pushed.status, 200)
  const app = await server.newApp({ name: 'Reader' })
  await server.apps.authorize(app.client_id, [1001n], byTest)
  token = await server.token(app)
  ;[owner, other, operator] = (await Promise.all(['owner', 'other', 'op'].map(signedIn))) as [
    Browser,
    Browser,
    Browser,
  ]
})

after(() => server.close())

async function signedIn(name: string): Promise<Browser> {
  const browser = new Browser(server.base)
  await browser.signIn(`${name}@example.com`)
  return browser
}

const base = '/account/stores/1001'
const api = async (path: string) => (await server.get(`/integration/v1/${path}`, token)).json.data
const window = 'start_date=2026-10-31+13:00:00&end_date=2026-11-01+12:59:59'
const idsOn = ({ text }: Answer) =>
  [...text.matchAll(/href="([^"]*\/order\?[^"]*)"/g)].map(([, href = '']) =>
    new URL(textOf(href), server.base).searchParams.get('id'),
  )

/** Every page of a list, from its first one on. */
async function walk(browser: Browser, path: string): Promise<(string | null)[]> {
  const page = await browser.open(path)
  assert.equal(page.status, 200, page.text)
  const next = linked(page.text, 'next')
  return [...idsOn(page), ...(next === undefined ? [] : await walk(browser, next))]
}

describe('who sees it', () => {
  const pages = [
    'orders',
    'orders?q=A1',
    'order?id=first',
    'orders/export',
    'items',
    'items/export',
    'sales',
    'sales/export',
  ]

  test('merchants their own stores, operators all; another merchant’s store is like one that does not exist', async () => {
    for (const page of pages) {
      assert.equal((await owner.open(`${base}/${page}`)).status, 200, page)
      assert.equal((await operator.open(`/operator/stores/1001/${page}`)).status, 200, page)
      const theirs = await other.open(`${base}/${page}`)
      assertError('page', theirs, 404)
      assert.doesNotMatch(theirs.text, /Harbour|Flat white/)
      const none = await other.open(`/account/stores/999/${page}`)
      const still = ({ text }: Answer) => text.replace(/name="_csrf" value="[^"]*"/g, '')
      assert.equal(still(theirs), still(none), page)
      for (const id of ['x', '1e3', '9223372036854775808', '-1']) {
        assertError('page', await owner.open(`/account/stores/${id}/${page}`), 404)
      }
    }
  })

  test('strangers sign in first; developers and the other role do not get in', async () => {
    const developer = await signedIn('dev')
    for (const page of pages) {
      assert.equal((await new Browser(server.base).open(`${base}/${page}`)).status, 303)
      assertError('page', await developer.open(`${base}/${page}`), 403)
      assertError('page', await owner.open(`/operator/stores/1001/${page}`), 403)
      assertError('page', await operator.open(`${base}/${page}`), 403)
    }
  })

  test('the database decides too: a store that was sold is not read with the account’s claim', async () => {
    const account = await server.storage.accounts.findByEmail('owner@example.com')
    const claim = { account_id: account?.id ?? '' }
    const read = async (store_id: bigint, id = 'first') => {
      const { facts, order } = await server.storage.orders.find({ claim, store_id, id })
      return [facts.app_live, facts.store_allowed, order !== null]
    }
    assert.deepEqual(await read(1001n), [true, true, true])
    assert.deepEqual(await read(2001n), [true, false, false])
    assert.deepEqual(await read(999n), [true, false, false])
    for (const account_id of ['', 'nobody']) {
      const { facts } = await server.storage.orders.find({
        claim: { account_id },
        store_id: 1001n,
        id: 'first',
      })
      assert.deepEqual([facts.app_live, facts.store_allowed], [false, false])
    }
  })

  test('the list of stores leads to the data of each, and of no other', async () => {
    const { text } = await owner.open('/account/stores')
    assert.match(text, /href="\/account\/stores\/1001\/orders"/)
    assert.match(text, /href="\/account\/stores\/1002\/sales"/)
    assert.doesNotMatch(text, /2001|Elsewhere|<b>/)
    const page = await operator.open('/operator/stores/2001')
    assert.match(page.text, /href="\/operator\/stores\/2001\/orders"/)
  })
})

describe('orders', () => {
  test('of a day of the store’s time zone are those of the API, once each, in its order, over all pages', async () => {
    const listed: { id: string }[] = await api(`orders?store_id=1001&${window}&count=2000`)
    assert.deepEqual(
      await walk(owner, `${base}/orders?day=2026-11-01`),
      listed.map(({ id }) => id),
    )
    assert.deepEqual(await walk(operator, '/operator/stores/1001/orders?day=2026-11-02'), ['after'])
  })

  test('without a day the page shows that of the newest order until today', async () => {
    assert.match((await owner.open(`${base}/orders`)).text, /Sunday 1 November 2026/)
    server.clock.advance(7200)
    assert.match((await owner.open(`${base}/orders`)).text, /Monday 2 November 2026/)
    server.clock.advance(-7200)
  })

  for (const [name, query, passes] of [
    ['status', 'status=11', (i: number) => i % 10 === 0],
    ['source', 'source=40', (i: number) => i % 2 === 1],
    ['both', 'source=1&status=11', (i: number) => i % 10 === 0],
    ['payment', 'payment=26', () => false],
  ] as const) {
    test(`filtered by ${name}`, async () => {
      const expected = Array.from({ length: 130 }, (_, i) => i)
        .filter(passes)
        .map(i => `many/${i} é?`)
      assert.deepEqual(
        (await walk(owner, `${base}/orders?day=2026-11-01&${query}`)).filter(id => id?.startsWith('many')),
        expected,
      )
    })
  }

  test('what is no day, filter or place is ignored', async () => {
    for (const query of [
      'day=2026-02-30',
      'status=99',
      'source=__proto__',
      'payment=x',
      'after=x',
      'after=1.AAAA',
      'day=2026-11-01&day=2026-11-02',
    ]) {
      assert.equal((await owner.open(`${base}/orders?${query}`)).status, 200, query)
    }
  })

  test('are found by a part of their number on any day, and by their whole id', async () => {
    const found = async (q: string) => idsOn(await owner.open(`${base}/orders?q=${encodeURIComponent(q)}`))
    assert.deepEqual(await found('old-77'), ['old'])
    assert.deepEqual(await found('77 "x'), ['old'])
    assert.deepEqual(await found('#A4'), ['after'])
    assert.deepEqual(await found('many/5 é?'), ['many/5 é?'])
    assert.deepEqual(await found('nothing like it'), [])
    assert.equal(
      (await walk(owner, `${base}/orders?q=N1`)).length,
      41,
      'N1, N10 to N19 and N100 to N129, newest day first',
    )
    assert.deepEqual(idsOn(await other.open('/account/stores/2001/orders?q=A1')), [])
  })

  test('a store without orders says so', async () => {
    const { text } = await owner.open('/account/stores/1002/orders')
    assert.match(text, /This store has no orders yet/)
    assert.match(textOf(text), /Empty <b>Lane<\/b>/)
    assertNoInlineCode(text)
    assert.match((await owner.open(`${base}/orders?day=2020-01-01`)).text, /No orders on this day/)
    assert.match(
      (await owner.open(`${base}/orders?day=2026-11-01&payment=26`)).text,
      /No orders of this day match/,
    )
  })
})

describe('an order', () => {
  test('has the JSON byte for byte as the API sends it, its seq, and when it arrived', async () => {
    const { text: answer } = await server.get(
      '/integration/v1/orders?store_id=1001&start_date=2025-06-01+00:00:00&end_date=2025-06-01+23:00:00',
      token,
    )
    const { text } = await owner.open(`${base}/order?id=exact`)
    const [, json = ''] = /<code class="value block" id="order-json">(.*?)<\/code>/s.exec(text) ?? []
    const doc = textOf(json)
    assert.ok(answer.includes(doc))
    assert.match(doc, new RegExp(`"menu_id":${big}`))
    const { changes } = await api('changes?store_id=1001&kinds=order&count=2000')
    const { seq } = changes.find(({ id }: { id: string }) => id === 'exact')
    assert.match(wordsOf(text), new RegExp(`seq ${seq} Arrived 1 Nov 2026, 23:00:00 Sydney time`))
  })

  test('is a receipt: lines, sums, taxes, payments, promotions, and times by the store’s clock', async () => {
    const words = wordsOf((await owner.open(`${base}/order?id=first`)).text)
    for (const part of [
      /1 × Flat white/,
      /Subtotal/,
      /Taxes/,
      /Payments/,
      /Promotions/,
      /Paid/,
      /Created 1 Nov 2026, 00:00:00 Sydney time/,
    ]) {
      assert.match(words, part)
    }
    assert.match(
      wordsOf((await owner.open(`${base}/order?id=after`)).text),
      /This order was refunded on 1 Nov 2026/,
    )
  })

  test('of another store, or none, is not found', async () => {
    assertError('page', await other.open('/account/stores/2001/order?id=first'), 404)
    for (const id of ['', 'nothing', '%00', 'x'.repeat(300)])
      assertError('page', await owner.open(`${base}/order?id=${id}`), 404)
  })
})

describe('items and sales', () => {
  test('items are those of the API, found without case and accents', async () => {
    const names = async (q: string) =>
      [
        ...(await owner.open(`${base}/items?q=${encodeURIComponent(q)}`)).text.matchAll(
          /<th role="rowheader"[^>]*>(.*?)<\/th>/g,
        ),
      ].map(([, name = '']) => textOf(name))
    const all: { name: string }[] = await api('inventory/items?store_id=1001&index=0&count=100')
    assert.deepEqual(
      await names(''),
      all.map(({ name }) => name),
    )
    assert.deepEqual(await names('creme'), ['=HYPERLINK("x")'])
    assert.deepEqual(await names('FLAT'), ['Flat white'])
    assert.deepEqual(await names('13'), ['=HYPERLINK("x")'])
    assert.deepEqual(await names('no such'), [])
  })

  test('sales of the days are those of the API', async () => {
    const [{ item_id, count }] = await api(`inventory/sales?store_id=1001&${window}&index=0&count=100`)
    const { text } = await owner.open(`${base}/sales?from=2026-11-01&to=2026-11-01`)
    assert.match(
      wordsOf(text.split('Sold in the period')[1] ?? ''),
      new RegExp(`Flat white ${item_id} ${count}`),
    )
    const wider = await owner.open(`${base}/sales?from=2026-10-31&to=2026-11-02`)
    assert.match(wordsOf(wider.text), /31 Oct 1 1 Nov 132 2 Nov 0/, 'by day; a refunded order is not counted')
  })

  test('a period that is too long or runs backwards is explained', async () => {
    assert.match((await owner.open(`${base}/sales?from=2026-01-01&to=2026-11-01`)).text, /shows at most 31/)
    assert.match((await owner.open(`${base}/sales?from=2026-11-02&to=2026-11-01`)).text, /after the last one/)
    assert.match((await owner.open('/account/stores/1002/sales')).text, /This store has no orders yet/)
    assert.match(
      (await owner.open(`${base}/sales?from=2020-01-01&to=2020-01-02`)).text,
      /Nothing was sold in this period/,
    )
  })
})

describe('CSV', () => {
  const lines = async (path: string) => (await owner.open(path)).text.trimEnd().split('\r\n')

  test('has every order of the day once, also behind the first page', async () => {
    const [head = '', ...rows] = await lines(`${base}/orders/export?day=2026-11-01`)
    assert.match(head, /^order_id,order_number,status,created_at_store_time,created_at_utc/)
    assert.equal(rows.length, 132)
    assert.match(rows[0] ?? '', /^"first","A1","Paid","1 Nov 2026, 00:00:00","2026-10-31 13:00:00"/)
    const filtered = await lines(`${base}/orders/export?day=2026-11-01&status=11`)
    assert.equal(filtered.length, 14)
  })

  test('holds no formula, in orders, items or sales', async () => {
    assert.match(
      (await lines(`${base}/orders/export?day=2025-01-01`))[1] ?? '',
      /^"formula","'=cmd\|""\/c""!A1"/,
    )
    assert.match(
      (await lines(`${base}/items/export`))[2] ?? '',
      /^13,"'=HYPERLINK\(""x""\)","Crème",3,"normal"/,
    )
    assert.deepEqual((await lines(`${base}/sales/export?from=2026-11-01&to=2026-11-02`)).slice(0, 2), [
      'day,item_id,item,sold',
      '"2026-11-01",12,"Flat white",132',
    ])
  })

  test('is a file that the browser saves', async () => {
    const { headers } = await owner.open(`${base}/orders/export?day=2026-11-01`)
    assert.equal(headers.get('content-disposition'), 'attachment; filename="orders-1001-2026-11-01.csv"')
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
  })
})
