import type { ChangeKind, Changes, ChangesChunk, ChangesQuery } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import { type Access, mayReadStore } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { createHeads } from './heads.ts'
import { renewSql } from './history.ts'
import { createReceipts } from './receipts.ts'
import { createWaitingReads } from './waiting.ts'

/** The entries of one kind with ?2 < seq ≤ ?3: FROM and WHERE, and the JSON before each document. */
const entries: Record<ChangeKind, { from: string; head: string }> = {
  order: {
    from: 'orders indexed by orders_by_seq where store_id = ?1 and seq > ?2 and seq <= ?3',
    head: `concat('},{"seq":', seq, ',"kind":"order","id":', json_quote(id), ',"data":')`,
  },
  item: {
    from: 'items indexed by items_by_seq where store_id = ?1 and seq > ?2 and seq <= ?3',
    head: `concat('},{"seq":', seq, ',"kind":"item","id":', id, ',"data":')`,
  },
}

type Row = [
  rows: number,
  orders: number,
  last_seq: number,
  /** Of the first entry. */
  head: string,
  rest: Uint8Array,
]

/** The next `limit` entries with `after` < seq ≤ `highest`. */
interface Range {
  store_id: bigint
  after: number
  highest: number
  limit: number
}

const closing = Buffer.from('}')

const noChanges = (): ChangesChunk => ({ ...emptyChunk(), orders: 0, last_seq: null })

export function createChanges(db: Database, access: Access, writeAudit: WriteAudit): Changes {
  const history = db.prepare<[history: string]>('select history from feed where id = 1', 'number', 'tuples')
  const renew = db.prepare<[history: string]>(renewSql, 'number', 'tuples')
  const readHistory = () => (history.get() as [string])[0]
  // The head is the separator, which group_concat writes before each document but the first: a quarter faster than
  // building the text of each entry, which copies its document once more. The first head comes by itself: putting
  // it before the text would copy the whole, which took another quarter of the time.
  const prepare = (from: string, { orders, head, first }: { orders: string; head: string; first: string }) =>
    db.prepare<Row>(
      `select count(*), ${orders}, max(seq), (select substr(${head}, 3) from ${first}), cast(group_concat(doc, ${head}) as blob)
       from ${from}`,
      'number',
      'tuples',
    )
  // Of one kind up to a seq instead of a LIMIT, as the lists are (lists/list.ts).
  const prepareOne = (kind: ChangeKind) => {
    const { from, head } = entries[kind]
    const nth = db.prepare<[seq: number]>(
      `select seq from ${from} order by seq limit 1 offset ?4 + 0`,
      'number',
      'tuples',
    )
    const joined = prepare(from, {
      orders: kind === 'order' ? 'count(*)' : '0',
      head,
      first: `${from} order by seq limit 1`,
    })
    return {
      /** The last seq of a page. */
      lastOf: ({ store_id, after, highest, limit }: Range): number =>
        nth.get(store_id, after, highest, limit - 1)?.[0] ?? highest,
      upTo: ({ store_id, after }: Range, last: number) => joined.get(store_id, after, last) as Row,
    }
  }
  // One UNION ALL ordered as a whole: SQLite merges the two indexes. A limit for each part took three times as long.
  const part = (kind: ChangeKind, is_order: 0 | 1) =>
    `select seq, ${is_order} as is_order, ${entries[kind].head} as head, doc from ${entries[kind].from}`
  const all = `${part('order', 1)} union all ${part('item', 0)} order by seq`
  const merged = prepare(`(${all} limit ?4 + 0)`, {
    orders: 'sum(is_order)',
    head: 'head',
    first: `(${all} limit 1)`,
  })
  const anyItem = db.prepare(`select 1 from ${entries.item.from} limit 1`)
  const of = { order: prepareOne('order'), item: prepareOne('item') }
  const readOne = (kind: ChangeKind, range: Range) => of[kind].upTo(range, of[kind].lastOf(range))

  /** Items change seldom: where none comes between the orders, reading one index takes four fifths of the time. */
  function readBoth(range: Range): Row {
    const { store_id, after, highest, limit } = range
    const last = of.order.lastOf(range)
    if (anyItem.get(store_id, after, last) === undefined) return of.order.upTo(range, last)
    return merged.get(store_id, after, highest, limit) as Row
  }

  /** The next `limit` entries up to `head`, of `left` that the page may still have. */
  function read(
    { store_id, after, kinds }: ChangesQuery,
    head: number,
    limit: number,
    left: number,
  ): ChangesChunk {
    if (after >= head) return noChanges()
    const wanted = Math.min(limit, left)
    const range = { store_id, after, highest: head, limit: wanted }
    const [kind] = kinds as [ChangeKind]
    const [rows, orders, last_seq, first, rest] = kinds.length > 1 ? readBoth(range) : readOne(kind, range)
    if (rows === 0) return noChanges()
    const isEnd = rows < wanted || rows === left || last_seq === head
    const next = isEnd ? null : [last_seq, head, left - rows]
    return { parts: [Buffer.from(first), rest, closing], rows, orders, next, last_seq }
  }

  return {
    page: ({ claim, query, limit, count }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, query.store_id)
        const readable = mayReadStore(facts) && facts.store
        const chunk = readable ? read(query, readable.seq, limit, count) : null
        return { facts, history: readHistory(), chunk }
      }),
    more: ({ claim, query, after: cursor, limit }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, query.store_id)
        if (!mayReadStore(facts)) return { ...noChanges(), facts }
        const [after, head, left] = cursor as readonly [number, number, number]
        return { ...read({ ...query, after }, head, limit, left), facts }
      }),
    ...createHeads(db, access),
    ...createReceipts(db, access, readHistory),
    ...createWaitingReads(db, access),
    history: () => db.snapshot(readHistory),
    renewHistory: audit =>
      db.write(() => {
        const [history] = renew.get() as [string]
        if (audit) writeAudit(audit)
        return history
      }),
  }
}
