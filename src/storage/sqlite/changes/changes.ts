import type { ChangeKind, Changes, ChangesChunk, ChangesQuery } from '../../port/index.ts'
import type { WriteAudit } from '../accounts/audit.ts'
import { type Access, mayReadStore } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { emptyChunk } from '../lists/list.ts'
import { createHeads } from './heads.ts'
import { renewSql } from './history.ts'
import { createReceipts } from './receipts.ts'
import { createWaitingReads } from './waiting.ts'

/** The entries of one kind with ?2 < seq ≤ ?3: each document and the JSON before it. */
const entries: Record<ChangeKind, string> = {
  order: `select seq, 1 as is_order, concat('},{"seq":', seq, ',"kind":"order","id":', json_quote(id), ',"data":') as head, doc
    from orders indexed by orders_by_seq where store_id = ?1 and seq > ?2 and seq <= ?3`,
  item: `select seq, 0 as is_order, concat('},{"seq":', seq, ',"kind":"item","id":', id, ',"data":') as head, doc
    from items indexed by items_by_seq where store_id = ?1 and seq > ?2 and seq <= ?3`,
}

type Row = [
  rows: number,
  orders: number,
  last_seq: number,
  /** Of the first entry. */
  head: string,
  rest: Uint8Array,
]

const closing = Buffer.from('}')

const noChanges = (): ChangesChunk => ({ ...emptyChunk(), orders: 0, last_seq: null })

export function createChanges(db: Database, access: Access, writeAudit: WriteAudit): Changes {
  const history = db.prepare<[history: string]>('select history from feed where id = 1', 'number', 'tuples')
  const renew = db.prepare<[history: string]>(renewSql, 'number', 'tuples')
  const readHistory = () => (history.get() as [string])[0]
  // One UNION ALL ordered as a whole: SQLite merges the two indexes. A limit for each part took three times as long.
  // The head is the separator, which group_concat writes before each document but the first: a quarter faster than
  // building the text of each entry, which copies its document once more. The first head comes by itself: putting
  // it before the text would copy the whole, which took another quarter of the time.
  const prepare = (kinds: readonly ChangeKind[]) => {
    const all = `${kinds.map(kind => entries[kind]).join(' union all ')} order by seq`
    return db.prepare<Row>(
      `select count(*), sum(is_order), max(seq),
         (select substr(head, 3) from (${all} limit 1)), cast(group_concat(doc, head) as blob)
       from (${all} limit ?4 + 0)`,
      'number',
      'tuples',
    )
  }
  const anyItem = db.prepare(`${entries.item} limit 1`)
  const both = prepare(['order', 'item'])
  const only = { order: prepare(['order']), item: prepare(['item']) }

  /** The next `limit` entries up to `head`, of `left` that the page may still have. */
  function read(
    { store_id, after, kinds }: ChangesQuery,
    head: number,
    limit: number,
    left: number,
  ): ChangesChunk {
    if (after >= head) return noChanges()
    // Items change seldom: mostly only orders follow, and reading one index takes four fifths of the time.
    const isBoth = kinds.length > 1 && anyItem.get(store_id, after, head) !== undefined
    const statement = isBoth ? both : only[kinds.includes('order') ? 'order' : 'item']
    const wanted = Math.min(limit, left)
    const [rows, orders, last_seq, first, rest] = statement.get(store_id, after, head, wanted) as Row
    if (rows === 0) return noChanges()
    const isEnd = rows < wanted || rows === left || last_seq === head
    const next = isEnd ? null : [last_seq, head, left - rows]
    return { parts: [Buffer.from(first), rest, closing], rows, orders, next, last_seq }
  }

  return {
    page: ({ claim, query, limit, count }) =>
      db.read(() => {
        const facts = access.facts(claim, query.store_id)
        const readable = mayReadStore(facts) && facts.store
        const chunk = readable ? read(query, readable.seq, limit, count) : null
        return { facts, history: readHistory(), chunk }
      }),
    more: ({ claim, query, after: cursor, limit }) =>
      db.read(() => {
        const facts = access.facts(claim, query.store_id)
        if (!mayReadStore(facts)) return { ...noChanges(), facts }
        const [after, head, left] = cursor as readonly [number, number, number]
        return { ...read({ ...query, after }, head, limit, left), facts }
      }),
    ...createHeads(db, access),
    ...createReceipts(db, access, readHistory),
    ...createWaitingReads(db),
    history: () => db.read(readHistory),
    renewHistory: audit =>
      db.write(() => {
        const [history] = renew.get() as [string]
        if (audit) writeAudit(audit)
        return history
      }),
  }
}
