/** A fault for every rule of `conform`. */

/** What a faulty server sends instead. `data` and other parts of the body may be changed in place. */
export interface Exchange {
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  form: URLSearchParams
  status: number
  headers: Record<string, string>
  body: any
  /** Which request of its path it is, from 1. */
  nth: number
}
export type Fault = (exchange: Exchange) => unknown

const lists: Record<string, string> = {
  stores: '/integration/v1/stores',
  orders: '/integration/v1/orders',
  items: '/integration/v1/inventory/items',
  sales: '/integration/v1/inventory/sales',
}

/** Changes the answers with 200 of one list. */
const inList =
  (name: string, change: (data: any[], exchange: Exchange) => unknown): Fault =>
  exchange => {
    if (exchange.path !== lists[name] || exchange.status !== 200) return
    const result = change(exchange.body.data, exchange)
    if (Array.isArray(result)) exchange.body.data = result
  }
/** Changes a field of one entry. */
const field = (name: string, key: string, value: unknown): Fault =>
  inList(name, data => {
    if (data[0]) data[0][key] = value
  })
const noField = (name: string, key: string): Fault => inList(name, data => void delete data[0]?.[key])
const inOrder = (array: string, key: string, value: unknown): Fault =>
  inList('orders', data => {
    if (data[0]) data[0][array][0][key] = value
  })
const ok = { status: { timestamp: 1_795_000_000, ack: 200, errors: null }, data: [] }
/** Answers 200 to what should be refused. */
const accepts =
  (isMeant: (exchange: Exchange) => boolean): Fault =>
  exchange => {
    if (exchange.status < 400 || !isMeant(exchange)) return
    exchange.status = 200
    exchange.body = structuredClone(ok)
  }
const token =
  (change: (exchange: Exchange) => void): Fault =>
  exchange => {
    if (exchange.path === '/auth/v2/token') change(exchange)
  }
const givesToken = (isMeant: (form: URLSearchParams) => boolean): Fault =>
  token(exchange => {
    if (!isMeant(exchange.form)) return
    exchange.status = 200
    exchange.body = {
      access_token: 'a.b.c',
      token_type: 'Bearer',
      expires_in: 172_800,
      scope: 'integration.store',
    }
  })
const redirects =
  (isMeant: (query: URLSearchParams) => boolean): Fault =>
  exchange => {
    if (exchange.path !== '/auth/v2/authorize' || !isMeant(exchange.query)) return
    exchange.status = 302
    exchange.headers['location'] = `${exchange.query.get('redirect_uri')}?error=invalid_client`
  }

/** By the rule that must find it. */
export const planted: Record<string, Fault> = {
  'limits.count': exchange => {
    if (exchange.query.get('count') === '2000') exchange.status = 422
  },
  'limits.window': exchange => {
    if (exchange.query.get('start_date')?.startsWith('2026-01-01')) exchange.status = 422
  },
  'envelope.422': exchange => {
    if (exchange.status === 422) exchange.body.status.errors = null
  },
  'store.fields': field('stores', 'id', '1001'),
  'store.timezone': field('stores', 'timezone', 'Sydney'),
  'store.unique': inList('stores', data => [...data, data[0]]),
  'order.fields': noField('orders', 'rounding'),
  'order.id': field('orders', 'id', ''),
  'order.times': field('orders', 'status_time', '2026-11-01T09:30:00Z'),
  'order.unique': inList('orders', data => [...data, data[0]]),
  'order.store': field('orders', 'store_id', 1002),
  'order.window': inList('orders', data => {
    for (const key of ['created_at', 'updated_at', 'paid_at'])
      if (data[0]) data[0][key] = '2026-10-01 00:00:00'
  }),
  'order.status': field('orders', 'status', 1),
  'order.source': field('orders', 'source', 'offline'),
  'order.fulfillment': field('orders', 'fulfillment_type', 9),
  'cart.fields': inOrder('carts', 'price', '4.50'),
  'cart.type': inOrder('carts', 'type', 1),
  'cart.unit': inOrder('carts', 'unit_type', 2),
  'cart.tid': inList('orders', data => {
    for (const { carts } of data) for (const line of carts) line.tid = 1
  }),
  'tax.fields': inOrder('taxes', 'rate', '10%'),
  'payment.fields': inOrder('payments', 'amount', 4.5),
  'payment.type': inOrder('payments', 'type', 4),
  'payment.platform': inOrder('payments', 'platform', 5),
  'promotion.fields': inOrder('promotions', 'items', null),
  'promotion.type': inOrder('promotions', 'type', 1),
  'promotion.items': inList('orders', data => {
    if (data[0]) data[0].promotions[0].items[0].cart_no = 'one'
  }),
  'item.fields': field('items', 'price', 2 ** 31),
  'item.status': field('items', 'status', 3),
  'item.unique': inList('items', data => [...data, data[0]]),
  'item.updated-after': inList('items', (data, { query }) =>
    query.get('updated_after')?.startsWith('2999') ? [{}] : data,
  ),
  'sale.fields': field('sales', 'count', 1.5),
  'sale.unique': inList('sales', data => [...data, data[0]]),
  'bearer.missing': accepts(
    ({ path, authorization }) => path === lists['sales'] && authorization === undefined,
  ),
  'bearer.invalid': accepts(
    ({ authorization }) => authorization?.startsWith('Bearer eyJhbGciOiJub25lIn0.') === true,
  ),
  'bearer.none': accepts(({ authorization }) =>
    /^Bearer eyJhbGciOiJub25lIn0\..{20,}\.$/.test(authorization ?? ''),
  ),
  'bearer.unsigned': accepts(
    ({ authorization }) =>
      /^Bearer .{40,}\.$/.test(authorization ?? '') && !authorization?.includes('eyJhbGciOiJub25lIn0'),
  ),
  'bearer.changed': accepts(
    ({ status, authorization }) => status === 401 && (authorization ?? '').length > 60,
  ),
  'bearer.scheme': accepts(({ authorization }) => authorization?.startsWith('Basic') === true),
  'activate.token': accepts(({ path }) => path.endsWith('/activate')),
  'scope.store': accepts(({ status, path }) => status === 403 && path === lists['items']),
  'scope.order': accepts(({ status, path }) => status === 403 && path === lists['stores']),
  'scope.inventory': accepts(({ status, path }) => status === 403 && path === lists['orders']),
  'stores.readable': exchange => {
    if (exchange.query.get('store_id') === '1002') exchange.status = 403
  },
  'store.unknown': accepts(({ status, path }) => status === 404 && path === lists['items']),
  'orders.required': accepts(({ path, query }) => path === lists['orders'] && !query.has('end_date')),
  // Only the first 24 hours of the window.
  'orders.days': inList('orders', (data, { query }) => {
    const [start, end] = [query.get('start_date') ?? '', query.get('end_date') ?? '']
    if (Date.parse(`${end}Z`) - Date.parse(`${start}Z`) <= 86_400_000) return data
    return data.filter(order => order.created_at.slice(0, 10) === start.slice(0, 10))
  }),
  'orders.dates': accepts(({ query }) => query.get('end_date') === '2026-02-30 00:00:00'),
  'orders.store': accepts(({ query }) => query.get('store_id') === '9223372036854775808'),
  'items.required': accepts(({ path, query }) => path === lists['items'] && !query.has('store_id')),
  'items.dates': accepts(({ query }) => query.get('updated_after') === 'yesterday'),
  'sales.required': accepts(({ path, query }) => path === lists['sales'] && !query.has('start_date')),
  'sales.dates': accepts(
    ({ path, query }) => path === lists['sales'] && query.get('start_date') === '01/02/2026',
  ),
  'path.unknown': accepts(({ path }) => path.endsWith('/nothing-here')),
  'path.version': accepts(({ path }) => path.startsWith('/integration/v99')),
  // Not the first one, with which the orders are found.
  'token.form': token(({ body, nth }) => {
    if (nth > 1) body.access_token = 'opaque'
  }),
  'token.type': token(({ body }) => void (body.token_type = 'bearer token')),
  'token.lifetime': token(({ body }) => void (body.expires_in = 3600)),
  'token.scope': token(({ body }) => void (body.scope = ['integration.store'])),
  'token.bare': token(exchange => void (exchange.body = { ...exchange.body, status: { ack: 200 } })),
  'token.cache': token(({ headers }) => void delete headers['cache-control']),
  'token.narrow': token(({ body }) => void (body.scope = 'integration.store integration.order')),
  'token.secret': token(exchange => {
    if (exchange.status === 401) exchange.status = 403
  }),
  'token.grant': givesToken(form => form.get('grant_type') === 'password'),
  'token.no-grant': givesToken(form => !form.has('grant_type')),
  'token.code': givesToken(form => form.has('code')),
  'token.refresh': givesToken(form => form.has('refresh_token')),
  'authorize.redirect': redirects(query => query.get('client_id') !== 'conform-unknown'),
  'authorize.client': redirects(query => query.get('client_id') === 'conform-unknown'),
  'authorize.response-type': exchange => {
    if (exchange.query.get('response_type') === 'token') exchange.status = 200
  },
}

for (const name of Object.keys(lists)) {
  Object.assign(planted, {
    [`envelope.success.${name}`]: (exchange: Exchange) => {
      if (exchange.path === lists[name] && !exchange.query.has('count'))
        exchange.body.status.timestamp *= 1000
    },
    [`envelope.error.${name}`]: (exchange: Exchange) => {
      if (exchange.path === lists[name] && exchange.status === 401) exchange.body.status.ack = 400
    },
    [`paging.default.${name}`]: inList(name, (data, { query }) =>
      query.has('count') ? data : data.slice(1),
    ),
    [`paging.count.${name}`]: inList(name, (data, { query }) =>
      query.get('count') === '1' ? [...data, ...data] : data,
    ),
    [`paging.index.${name}`]: inList(name, (data, { query }) =>
      query.get('index') === '1' ? [{ id: 1, item_id: 1 }] : data,
    ),
    [`paging.last.${name}`]: inList(name, data => (data.length === 0 ? [{ id: 0 }] : data)),
    [`paging.whole.${name}`]: inList(name, (data, { query }) =>
      query.get('count') === '3' ? data.slice(0, 1).concat(data[0] ?? []) : data,
    ),
    [`paging.invalid.${name}`]: accepts(
      ({ path, query }) => path === lists[name] && query.get('count') === 'x',
    ),
  })
}

/** Answers with this status as the page of a proxy, without the envelope. */
const asPage =
  (status: number): Fault =>
  exchange => {
    if (exchange.status !== status) return
    exchange.headers['content-type'] = 'text/html'
    exchange.body = '<h1>no</h1>'
  }

/** Further faults that rules must find, by a title of their own. */
export const furtherPlanted: readonly [rule: string, title: string, Fault][] = [
  ['scope.store', '403 without the envelope', asPage(403)],
  ['store.unknown', '404 without the envelope', asPage(404)],
  ['items.required', '422 without the envelope', asPage(422)],
  ['paging.invalid.stores', '422 without the envelope', asPage(422)],
  ['paging.last.orders', 'a count cut to 100', inList('orders', data => data.slice(0, 100))],
  [
    'paging.last.orders',
    'an entry again on a later page',
    inList('orders', (data, { query }) => (query.get('index') === '1' ? [{ id: 'O-0' }, ...data] : data)),
  ],
]
