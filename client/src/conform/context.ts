import { parseExact } from '../exact-json.ts'
import { pause } from '../transport.ts'
import { formatSeconds } from '../time.ts'
import { Skipped } from './outcomes.ts'

/** What the rules share: requests as they are, without the library's help, and the data that was found. */

// The answers of a server that may be wrong have no type.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Undefined when the text is not JSON. */
  json: Json
}

type Fields = Record<string, string | number | bigint | undefined>

interface Request {
  method?: string
  query?: Fields
  form?: Fields
  /** Default: a token with all scopes; null for none. */
  token?: string | null
  headers?: Record<string, string>
}

export interface List {
  name: 'stores' | 'orders' | 'items' | 'sales'
  path: string
  scope: string
  /** The required parameters. */
  query: Fields
}

export interface ConformContext {
  base: string
  clientId: string
  send(path: string, request?: Request): Promise<Answer>
  /** A list by name, with further parameters. Skips the rule if the app may not read the list. */
  list(name: List['name'], query?: Fields, request?: Request): Promise<Answer>
  /** Entries of a list that must succeed. */
  entries(name: List['name'], query?: Fields): Promise<Json[]>
  token(scope?: string): Promise<string>
  tokenAnswer(form: Fields): Promise<Answer>
  lists: List[]
  /** The integration scopes of the app. */
  scopes: ReadonlySet<string>
  /** Skips the rule if the app has no such scope. */
  needScope(scope: string, remedy?: string): void
  /** The store that has the data; null when the token has no store. */
  storeId: string | null
  orders: Json[]
  requests(): number
}

export interface ConformOptions {
  baseUrl: string
  clientId: string
  clientSecret: string
  /** Where the orders are: the store and the first UTC day of two. */
  storeId?: string | undefined
  day?: string | undefined
  signal: AbortSignal
}

const paths = {
  stores: '/integration/v1/stores',
  orders: '/integration/v1/orders',
  items: '/integration/v1/inventory/items',
  sales: '/integration/v1/inventory/sales',
}
const scopes = {
  stores: 'integration.store',
  orders: 'integration.order',
  items: 'integration.inventory',
  sales: 'integration.inventory',
}
const twoDays = 172_800

export async function createContext(options: ConformOptions): Promise<ConformContext> {
  const { clientId, clientSecret, signal } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  const grants = new Map<string | undefined, Promise<Json>>()
  let requests = 0

  async function send(path: string, request: Request = {}): Promise<Answer> {
    const { method = 'GET', query, form, headers } = request
    const token = request.token === undefined ? await context.token() : request.token
    const search = query ? `?${parameters(query)}` : ''
    for (let tries = 0; ; tries++) {
      requests++
      const response = await fetch(base + path + search, {
        method,
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
        body: form ? parameters(form) : null,
        redirect: 'manual',
        // A server that does not answer breaks the rule, not the run.
        signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      })
      const text = await response.text()
      const { status } = response
      // The specification leaves rate limits open, so they are no breach.
      if (status === 429 && tries === 5) throw new Skipped(`${path}: too many requests (429)`)
      // A short overload is none either.
      if ((status !== 429 && status !== 503) || tries === 5) {
        return { status, headers: response.headers, text, json: jsonOf(text) }
      }
      await pause(Math.min(60, Number(response.headers.get('retry-after')) || 1) * 1000, signal)
    }
  }

  async function newGrant(scope?: string): Promise<Json> {
    const answer = await context.tokenAnswer({ scope })
    if (answer.status === 200 && typeof answer.json?.access_token === 'string') return answer.json
    throw new Error(
      `no token${scope ? ` with scope ${scope}` : ''}: ${answer.status} ${answer.text.slice(0, 200)}`,
    )
  }

  function grant(scope?: string): Promise<Json> {
    const known = grants.get(scope) ?? newGrant(scope)
    grants.set(scope, known)
    return known
  }

  const context: ConformContext = {
    base,
    clientId,
    send,
    lists: (['stores', 'orders', 'items', 'sales'] as const).map(name => ({
      name,
      path: paths[name],
      scope: scopes[name],
      query: {},
    })),
    scopes: new Set(Object.values(scopes)),
    needScope(scope, remedy) {
      if (!context.scopes.has(scope))
        throw new Skipped(`the app has no scope ${scope}${remedy ? `; ${remedy}` : ''}`)
    },
    storeId: null,
    orders: [],
    async list(name, query = {}, request = {}) {
      const { path, scope, query: required } = context.lists.find(each => each.name === name) as List
      if (request.token === undefined) context.needScope(scope)
      return send(path, { ...request, query: { ...required, ...query } })
    },
    async entries(name, query) {
      const answer = await context.list(name, query)
      if (answer.status === 200 && Array.isArray(answer.json?.data)) return answer.json.data
      throw new Error(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
    },
    token: async scope => (await grant(scope)).access_token,
    tokenAnswer: form =>
      send('/auth/v2/token', {
        method: 'POST',
        token: null,
        form: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, ...form },
      }),
    requests: () => requests,
  }
  context.scopes = scopesOf(await grant())
  await findData(context, options)
  return context
}

/** Looks for a store with orders in the last month, unless the caller says where they are. */
async function findData(context: ConformContext, { storeId, day }: ConformOptions): Promise<void> {
  const named = await storesOf(context, storeId)
  const end = day === undefined ? Math.floor(Date.now() / 1000) : Date.parse(day) / 1000 + twoDays - 1
  const windows = day === undefined ? 15 : 1
  for (const id of named.slice(0, 5)) {
    if (!context.scopes.has(scopes.orders)) {
      choose(context, id, formatSeconds(end - twoDays + 1), formatSeconds(end))
      return
    }
    for (let i = 0; i < windows && context.orders.length === 0; i++) {
      const last = end - i * twoDays
      choose(context, id, formatSeconds(last - twoDays + 1), formatSeconds(last))
      context.orders = await context.entries('orders', { count: 1000 })
    }
    if (context.orders.length > 0) return
  }
}

async function storesOf(context: ConformContext, storeId: string | undefined): Promise<string[]> {
  if (!context.scopes.has(scopes.stores)) return storeId === undefined ? [] : [storeId]
  const stores = (await context.entries('stores', { count: 100 })).map(({ id }) => String(id))
  if (storeId === undefined) return stores
  if (stores.includes(storeId)) return [storeId]
  throw new Error(`the token has no store ${storeId}`)
}

function choose(context: ConformContext, storeId: string, start_date: string, end_date: string): void {
  context.storeId = storeId
  for (const list of context.lists) {
    if (list.name === 'items') list.query = { store_id: storeId }
    if (list.name === 'orders' || list.name === 'sales')
      list.query = { store_id: storeId, start_date, end_date }
  }
}

/** Without a scope in the answer, the lists show what the token may read. */
function scopesOf({ scope }: Json): Set<string> {
  const all = Object.values(scopes)
  return new Set(typeof scope === 'string' ? all.filter(each => scope.split(' ').includes(each)) : all)
}

function parameters(fields: Fields): URLSearchParams {
  const result = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result.set(name, String(value))
  return result
}

function jsonOf(text: string): Json {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
