import { type Api, type ApiRequest, dataAs } from './api.ts'
import { TillgateError } from './errors.ts'
import { formatSeconds, lastSecondOf, secondsOf, type Time } from './time.ts'
import { pause } from './transport.ts'
import type { Change, ChangeKind, ChangesPage, Order, StoreId } from './types.ts'

/** Lists as async iterators: over entries, or over pages by `pages()`. */

export interface List<Entry, Page = Entry[]> extends AsyncIterable<Entry> {
  pages(): AsyncIterable<Page>
}

export type ChangesList = List<Change & { feed: string }, ChangesPage>

interface ListOptions {
  signal?: AbortSignal
  /** Entries of a page: default 1000. */
  count?: number
}

export interface OrdersOptions extends ListOptions {
  storeId: StoreId
  from: Time
  /** Included; a day to its end. Default: now. */
  to?: Time
  /** Which time `from` and `to` are about: default `created_at`. */
  dateField?: 'created_at' | 'updated_at' | 'paid_at'
}

export interface ChangesOptions extends ListOptions {
  storeId: StoreId
  /** `next` of the last page, or `seq` of the last entry: default 0, everything. */
  after?: number
  /** As the last page or entry gave it. */
  feed?: string
  /** Default: what the token's scopes allow. Name them: an app that loses a scope then gets an error. */
  kinds?: readonly ChangeKind[]
  /** Waits for further changes until the signal aborts. */
  follow?: boolean
  /** Seconds that one request waits with `follow`: default 30. */
  wait?: number
}

type Query = NonNullable<ApiRequest['query']>

const iterable = <Entry, Page>(
  pages: () => AsyncGenerator<Page>,
  entries: (page: Page) => readonly Entry[],
): List<Entry, Page> => ({
  pages,
  async *[Symbol.asyncIterator]() {
    for await (const page of pages()) yield* entries(page)
  },
})

const listData = dataAs(Array.isArray)

const changesData = dataAs(
  ({ feed, next, more, changes }) =>
    typeof feed === 'string' &&
    Number.isSafeInteger(next) &&
    typeof more === 'boolean' &&
    Array.isArray(changes),
)

/** Otherwise the loop would never end. */
export const stuck = (where: string): TillgateError =>
  new TillgateError(
    'response_invalid',
    `the server reports more entries but does not advance beyond ${where}`,
  )

/** A list in pages, one window after another. */
export function listOf<Entry>(
  api: Api,
  { path, windows, signal, count = 1000 }: ListOptions & { path: string; windows: Iterable<Query> },
): List<Entry> {
  async function* pages(): AsyncGenerator<Entry[]> {
    for (const window of windows) {
      let place: Query | null = { index: 0 }
      const cursors = new Set<Query[string]>()
      while (place !== null) {
        const query = { ...window, count, ...place }
        const { data, headers } = await api.request({ path, query, signal, parse: listData })
        const page = data as Entry[]
        yield page
        const next = placeAfter(place, headers.get('link'), page.length === count)
        const cursor = next?.['cursor']
        if (cursor !== undefined && cursors.has(cursor)) throw stuck(`cursor ${cursor}`)
        cursors.add(cursor)
        place = next
      }
    }
  }
  return iterable(pages, page => page)
}

/**
 * The cursor of `Link: <…>; rel="next"`: only the cursor, so that the token goes to no other address. Without the header,
 * as in a browser that may not read it or on another server of the specification, the next index of a full page.
 */
function placeAfter(place: Query, link: string | null, isFull: boolean): Query | null {
  const address = link && /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(link)?.[1]
  const cursor = address && new URL(address, 'http://localhost').searchParams.get('cursor')
  if (cursor) return { cursor }
  return isFull && typeof place['index'] === 'number' ? { index: place['index'] + 1 } : null
}

/** The API's longest window of orders, both ends included. */
const longestWindow = 172_800

export function ordersOf(api: Api, options: OrdersOptions): List<Order> {
  const { storeId, from, to, dateField, ...list } = options
  const start = secondsOf(from)
  // A time of the server may be ahead of this machine's clock.
  const end = to === undefined ? Math.max(start, secondsOf(new Date())) : lastSecondOf(to)
  if (start > end) throw new TypeError('orders: from is after to')
  const windows = {
    *[Symbol.iterator]() {
      for (let first = start; first <= end; first += longestWindow + 1) {
        const last = Math.min(end, first + longestWindow)
        const dates = { start_date: formatSeconds(first), end_date: formatSeconds(last) }
        yield { store_id: storeId, ...dates, date_field: dateField }
      }
    },
  }
  return listOf(api, { ...list, path: '/integration/v1/orders', windows })
}

export function changesOf(api: Api, options: ChangesOptions): ChangesList {
  const { storeId, kinds, follow = false, wait = 30, count = 1000, signal } = options
  async function* pages(): AsyncGenerator<ChangesPage> {
    let { after = 0, feed } = options
    let isCurrent = false
    for (;;) {
      const query = { store_id: storeId, after, feed, kinds: kinds?.join(), count }
      const isWaiting = follow && isCurrent
      const asked = Date.now()
      const path = '/integration/v1/changes'
      const { data } = await api.request({
        path,
        query,
        signal,
        parse: changesData,
        wait: isWaiting ? wait : 0,
      })
      const page = data as ChangesPage
      yield page
      if (page.more && page.next <= after) throw stuck(`seq ${after}`)
      // With a `wait` of 0 the server answers at once, as does one that stops or does not know `wait`.
      if (isWaiting && page.changes.length === 0) await pause(Math.max(0, asked + 1000 - Date.now()), signal)
      if (!page.more && !follow) return
      isCurrent = !page.more
      after = page.next
      feed = page.feed
    }
  }
  return iterable(pages, ({ changes, feed }) => changes.map(change => Object.assign(change, { feed })))
}
