import { createHash } from 'node:crypto'

/** A client of `changes`, written from its documentation alone: nothing of the server is imported. */

export type Kind = 'order' | 'item'

interface Row {
  kind: Kind
  id: string
  seq: number
  data: Record<string, unknown>
  /** The walk from `after=0` that has seen it last. */
  walk: number
}

/** All that the client keeps: it may stop and go on with this at any time. */
export interface Copy {
  feed: string | null
  next: number
  /** Counts the walks from `after=0`. */
  walk: number
  /** Whether this walk has reached its end. */
  complete: boolean
  rows: Map<string, Row>
}

export const emptyCopy = (): Copy => ({ feed: null, next: 0, walk: 1, complete: false, rows: new Map() })

export interface Source {
  base: string
  bearer: string
  store_id: number
}

export interface Asked {
  count: number
  kinds: readonly Kind[] | null
  wait: number
}

interface Entry {
  seq: number
  kind: Kind
  id: number | string | bigint
  data: Record<string, unknown>
}

export interface Page {
  feed: string
  kinds: Kind[]
  changes: Entry[]
  next: number
  more: boolean
}

/** The server does not keep what its documentation says. */
export class Violation extends Error {}

/** The request was not run: overload, a database that does not answer, or a connection that was idle for too long. */
export const mayRetry = (status: number): boolean => status === 503 || status === 408

/** One request. Null when the server is overloaded or its database does not answer: ask again. */
export async function ask(
  { base, bearer, store_id }: Source,
  { feed, next }: Copy,
  { count, kinds, wait }: Asked,
  signal?: AbortSignal,
): Promise<Page | 'feed_changed' | null> {
  const query = new URLSearchParams({ store_id: `${store_id}`, count: `${count}`, wait: `${wait}` })
  if (kinds) query.set('kinds', kinds.join())
  if (feed !== null) {
    query.set('after', `${next}`)
    query.set('feed', feed)
  }
  const headers = { authorization: `Bearer ${bearer}` }
  const answer = await fetch(`${base}/integration/v1/changes?${query}`, { headers, signal: signal ?? null })
  const text = await answer.text()
  if (mayRetry(answer.status)) return null
  if (answer.status === 409) return 'feed_changed'
  if (answer.status !== 200) throw new Violation(`changes was answered ${answer.status}: ${text}`)
  return (parse(text) as { data: Page }).data
}

/** Stores a page and the place to go on from, in one step. */
export function apply(copy: Copy, page: Page, { count }: Pick<Asked, 'count'>): void {
  const { changes, feed, next, more, kinds } = page
  let last = copy.next
  const violation = (rule: string) => new Violation(`${rule}: after ${copy.next}, ${JSON.stringify(page)}`)
  if (changes.length > count) throw violation('more entries than count')
  for (const { seq, kind, id, data } of changes) {
    if (seq <= last) throw violation('entries do not ascend from after')
    if (!kinds.includes(kind)) throw violation('a kind that was not asked for')
    if (String(data['id']) !== String(id)) throw violation('the id is not that of the data')
    last = seq
    const key = keyOf(kind, id)
    const known = copy.rows.get(key)
    if (known?.walk === copy.walk && known.seq >= seq) throw violation('an entity twice, or an older version')
    copy.rows.set(key, { kind, id: String(id), seq, data, walk: copy.walk })
  }
  if (more ? next !== last || changes.length === 0 : next < last) throw violation('next is not the end')
  copy.feed = feed
  copy.next = next
  if (more || copy.complete) return
  copy.complete = true
  // What this walk has not seen was lost with a former history.
  for (const [key, row] of copy.rows) {
    if (row.walk !== copy.walk && kinds.includes(row.kind)) copy.rows.delete(key)
  }
}

/** After 409: everything again, in place of what is stored. */
export function startAgain(copy: Copy): void {
  copy.feed = null
  copy.next = 0
  copy.walk++
  copy.complete = false
}

/** Reads until nothing is left; returns how often the feed had changed. */
export async function catchUp(source: Source, copy: Copy): Promise<number> {
  let changed = 0
  for (;;) {
    const asked: Asked = { count: 100, kinds: null, wait: 0 }
    const page = await ask(source, copy, asked)
    if (page === null) throw new Violation('the server does not answer')
    if (page === 'feed_changed') {
      startAgain(copy)
      if (++changed > 1) throw new Violation('the feed changed twice')
      continue
    }
    apply(copy, page, asked)
    if (!page.more) return changed
  }
}

export interface Receipts {
  feed: string
  seq: number
  days: { day: string; orders: number; subtotal: number; digest: string }[]
  items: { count: number; digest: string }
}

export async function askReceipts(
  { base, bearer, store_id }: Source,
  start_day: string,
  end_day: string,
): Promise<Receipts | null> {
  const query = new URLSearchParams({ store_id: `${store_id}`, start_day, end_day })
  const headers = { authorization: `Bearer ${bearer}` }
  const answer = await fetch(`${base}/integration/v1/receipts?${query}`, { headers })
  const text = await answer.text()
  if (mayRetry(answer.status)) return null
  if (answer.status !== 200) throw new Violation(`receipts was answered ${answer.status}: ${text}`)
  return (JSON.parse(text) as { data: Receipts }).data
}

/** The receipts of a copy, to compare with the server's. */
export function receiptsOf(
  { rows }: Copy,
  start_day: string,
  end_day: string,
): Pick<Receipts, 'days' | 'items'> {
  const all = [...rows.values()]
  const items = all.filter(({ kind }) => kind === 'item')
  const byDay = Map.groupBy(
    all.filter(({ kind }) => kind === 'order'),
    ({ data }) => String(data['created_at']).slice(0, 10),
  )
  const days = [...byDay.keys()].filter(day => day >= start_day && day <= end_day).sort()
  return {
    days: days.map(day => {
      const orders = byDay.get(day) ?? []
      const subtotal = orders.reduce((sum, { data }) => sum + Number(data['subtotal'] ?? 0), 0)
      return { day, orders: orders.length, subtotal, digest: digest(orders) }
    }),
    items: { count: items.length, digest: digest(items) },
  }
}

function digest(rows: readonly Row[]): string {
  let sum = 0n
  for (const { id, seq } of rows) {
    const hex = createHash('sha256').update(`${id}:${seq}`).digest('hex')
    sum = (sum + BigInt(`0x${hex.slice(0, 32)}`)) % (1n << 128n)
  }
  return sum.toString(16).padStart(32, '0')
}

export const keyOf = (kind: Kind, id: number | string | bigint): string => `${kind} ${id}`

/** Integers beyond 2^53 stay exact. */
export const parse = (text: string): unknown =>
  JSON.parse(text, ((_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && /^-?\d{16,}$/.test(source) ? exact(source) : value) as never)

const exact = (source: string): number | bigint =>
  Number.isSafeInteger(Number(source)) ? Number(source) : BigInt(source)
