import type { Clock } from '../../lib/clock.ts'
import { parseDatetime } from '../../lib/datetime.ts'
import { type ExactNumber, parseExact } from '../../lib/exact-json.ts'
import type { Cursor, Storage } from '../../storage/port/index.ts'
import { checkStore, type Reader } from '../reading/access.ts'
import { createOrderList } from '../reading/orders.ts'
import type { Window } from '../reading/window.ts'
import { batches, type Found, scan, type Source } from './scan.ts'

type Text = string | null
type Cents = ExactNumber | null

/** An order as the API sends it (contract/order.ts), parsed without loss of digits. */
export interface StoredOrder {
  id: string
  parent_id: Text
  order_number: Text
  status: number
  created_at: string
  updated_at: string
  scheduled_at: Text
  paid_at: Text
  status_time: Text
  pay_time: Text
  source_type: number | null
  source: Text
  fulfillment_type: number | null
  fulfillment: Text
  device_name: Text
  device_sn: Text
  delivery_fee: Cents
  service_surcharge_fee: Cents
  rounding: Cents
  subtotal: Cents
  tax_total: Cents
  tips: Cents
  carts: OrderLine[]
  taxes: { amount: Cents; rate: ExactNumber | null; name: Text; base_subtotal: Cents }[]
  payments: {
    type: number
    platform: number | null
    amount: Cents
    surcharge: Cents
    name: Text
    reference: Text
  }[]
  promotions: { type: number; discount_amount: Cents; name: Text; reference: Text }[]
}

export interface OrderLine {
  type: number
  group_no: number | null
  menu_id: ExactNumber | null
  name: Text
  code: Text
  unit_type: number | null
  price: Cents
  discount: Cents
  net_price: Cents
  count: ExactNumber
  tax_total: Cents
}

/** Null: any. */
export interface OrderFilter {
  status: number | null
  source: number | null
  /** A payment of this type is among the order's payments. */
  payment: number | null
}

/** Where a search continues: in the orders of this UTC day behind the key, then in the days before it. */
export interface SearchPlace {
  day: number
  behind?: Cursor | undefined
}

interface FoundBySearch {
  entries: StoredOrder[]
  next: SearchPlace | null
}

const secondsOfDay = 86_400
/** The year 1: receipts are of days that have orders, so the days between cost nothing. */
const firstDay = -719_162
/** Orders that a page of a search reads at most; only those with the text in them are parsed. */
const searchBudget = 20_000
const leastPerDay = 50
/** Orders that a filtered page reads and parses at most. */
const filterBudget = 5000

const keyOf = ({ created_at, id }: StoredOrder): Cursor => [parseDatetime(created_at) ?? 0, id]

/** The orders of a store for people: the lists of the API, with filters and search. */
export function createStoreOrders({ storage, clock }: { storage: Storage; clock: Clock }) {
  const list = createOrderList(storage)

  const within = (reader: Reader, store_id: bigint, window: Window): Source<StoredOrder> => ({
    read: (behind, count) =>
      list(reader, { store_id, date_field: 'created_at', ...window, index: 0, count, behind }, null),
    keyOf,
  })

  /** One order, its JSON as the API sends it, and the number of the change that stored it. */
  async function find(reader: Reader, store_id: bigint, id: string) {
    const { facts, order } = await storage.orders.find({ ...reader, store_id, id })
    checkStore(facts, store_id, 'integration.order')
    return order && { ...order, parsed: parseExact(order.doc) as StoredOrder }
  }

  /** An order of this id comes first, then those by number: the newest days first, and in each the earliest order first. */
  async function search(
    reader: Reader,
    {
      store_id,
      text,
      id,
      from,
      limit,
    }: { store_id: bigint; text: string; id: string; from: SearchPlace | null; limit: number },
  ): Promise<FoundBySearch> {
    const wanted = numbered(text)
    const named = from === null ? await find(reader, store_id, id) : null
    // A platform may announce orders; more than a year ahead is a mistake of its clock.
    const last_day = from?.day ?? Math.floor(clock.now() / secondsOfDay) + 366
    const query = { store_id, first_day: firstDay, last_day }
    const { facts, receipts } = await storage.changes.receipts({ ...reader, query })
    checkStore(facts, store_id, 'integration.order')
    const days = (receipts?.days ?? []).map(({ day }) => Number(day)).toReversed()
    const entries: StoredOrder[] = named ? [named.parsed] : []
    let scanned = 0
    for (const day of days) {
      const start_date = day * secondsOfDay
      const source = within(reader, store_id, { start_date, end_date: start_date + secondsOfDay - 1 })
      const behind = day === from?.day ? from.behind : undefined
      const left = searchBudget - scanned
      if (left <= 0 || entries.length >= limit) return { entries, next: { day, behind } }
      const found = await scan(source, wanted, { behind, limit: limit - entries.length, left })
      entries.push(...found.entries)
      // A day costs a query, also when it has few orders.
      scanned += Math.max(found.scanned, leastPerDay)
      if (found.next) return { entries, next: { day, behind: found.next } }
    }
    return { entries, next: null }
  }

  return {
    find,
    search,

    /** The orders of a window by created_at, earliest first. */
    page(
      reader: Reader,
      {
        store_id,
        window,
        filter,
        behind,
        limit,
      }: {
        store_id: bigint
        window: Window
        filter: OrderFilter
        behind: Cursor | undefined
        limit: number
      },
    ): Promise<Found<StoredOrder>> {
      const matches = (order: StoredOrder): boolean => passes(order, filter)
      return scan(within(reader, store_id, window), { matches }, { behind, limit, left: filterBudget })
    },

    /** All orders of a window, in batches. */
    async *all(reader: Reader, store_id: bigint, window: Window, filter: OrderFilter) {
      for await (const { entries } of batches(within(reader, store_id, window))) {
        yield entries.filter(order => passes(order, filter))
      }
    },
  }
}

const passes = (order: StoredOrder, { status, source, payment }: OrderFilter): boolean =>
  (status === null || order.status === status) &&
  (source === null || order.source_type === source) &&
  (payment === null || order.payments.some(({ type }) => type === payment))

/** Orders whose number contains the text; the one whose id is the text is found without a search. */
function numbered(text: string) {
  const part = text.toLowerCase()
  return {
    matches: ({ id, order_number }: StoredOrder): boolean =>
      id !== text && (order_number?.toLowerCase().includes(part) ?? false),
    text: JSON.stringify(part).slice(1, -1),
  }
}

export type StoreOrders = ReturnType<typeof createStoreOrders>
