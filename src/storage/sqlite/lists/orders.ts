import {
  advance,
  nextIds,
  type PageSnapshot,
  readSnapshot,
  snapshotCursor,
  withoutRange,
} from '../../shared/page-snapshot.ts'
import type { Chunk, Cursor, OrderField, OrderQuery, Orders } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { dayOf } from '../../shared/sequence.ts'
import { type Access, type Asked, mayReadStore } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { createList, type ListShape } from './list.ts'

const shapes: Record<OrderField, ListShape> = {
  created_at: {
    docs: 'orders where store_id = ?',
    keys: 'orders indexed by orders_by_created where store_id = ?',
    order: ['created_at', 'id'],
  },
  updated_at: {
    docs: 'orders indexed by orders_by_updated where store_id = ?',
    order: ['updated_at', 'id'],
  },
  paid_at: {
    docs: 'orders indexed by orders_by_paid where store_id = ? and paid_at is not null',
    order: ['paid_at', 'id'],
  },
}

export function createOrders(db: Database, access: Access): Orders {
  const by = (field: OrderField) => ({
    list: createList(db, shapes[field]),
    idsBehind: prepareIds(db, shapes[field]),
  })
  const lists = { created_at: by('created_at'), updated_at: by('updated_at'), paid_at: by('paid_at') }
  const byId = db.prepare<[doc: string]>(
    'select doc from orders where store_id = ? and id = ?',
    'number',
    'tuples',
  )
  const withSeq = db.prepare<[doc: string, seq: number]>(
    'select doc, seq from orders where store_id = ? and id = ?',
    'number',
    'tuples',
  )

  /** created_at hardly ever changes, so a window by it depends on its own days alone. */
  const versionOf = ({ field, from, to }: OrderQuery): Pick<Asked, 'version' | 'days'> =>
    field === 'created_at'
      ? { version: (_store, newest_of_days) => newest_of_days, days: [dayOf(from), dayOf(to)] }
      : { version: ({ orders_version }) => orders_version }

  /** The cursor for the `left` entries behind `key`, with their ids; null when there are none. */
  function takeSnapshot(query: OrderQuery, key: Cursor, left: number, version: number): Cursor | null {
    const { store_id, to, field } = query
    const [ids, found] = lists[field].idsBehind.get(store_id, to, ...key, left) as [string, number]
    return found === 0 ? null : snapshotCursor({ version, key, ids, done: 0, left: found })
  }

  function readFromSnapshot(
    query: OrderQuery,
    snapshot: PageSnapshot,
    limit: number,
    version: number | undefined,
  ): Chunk {
    const { store_id, to, field } = query
    if (version === snapshot.version) {
      const { key: after, left: count } = snapshot
      const chunk = lists[field].list.more([store_id], { to, after, limit, count })
      return { ...chunk, next: chunk.next && advance(snapshot, chunk.rows, chunk.next) }
    }
    const ids = nextIds(snapshot, limit)
    const docs = ids.flatMap(id => byId.get(store_id, id) ?? [])
    return {
      parts: [Buffer.from(docs.join(','))],
      rows: docs.length,
      next: advance(withoutRange(snapshot), ids.length),
    }
  }

  return {
    async page({ claim, query, offset, behind, limit, count, unless_version: known = null }) {
      const { store_id } = query
      const read = await access.read({ claim, store_id, ...versionOf(query), known }, ({ store }) => {
        const { field, from, to } = query
        const { chunk, end } = lists[field].list.page([store_id], { from, to, offset, behind, limit, count })
        if (chunk.next === null || count === undefined) return { chunk, end }
        const left = count - chunk.rows
        const next = takeSnapshot(query, chunk.next, left, store?.orders_version ?? 0)
        return { chunk: { ...chunk, next }, end }
      })
      const { chunk = null, end = null } = read.found ?? {}
      return { facts: read.facts, version: read.version, chunk, end }
    },
    find: ({ claim, store_id, id }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, store_id)
        const [doc, seq] = (mayReadStore(facts) && withSeq.get(store_id, id)) || []
        return { facts, order: doc === undefined || seq === undefined ? null : { doc, seq } }
      }),
    more: ({ claim, query, after, limit }) =>
      db.snapshot(() => {
        const facts = access.facts(claim, query.store_id)
        if (!mayReadStore(facts)) return { ...emptyChunk(), facts }
        const snapshot = readSnapshot(after)
        const chunk = snapshot
          ? readFromSnapshot(query, snapshot, limit, facts.store?.orders_version)
          : lists[query.field].list.more([query.store_id], { to: query.to, after, limit })
        return { ...chunk, facts }
      }),
  }
}

/** The ids of so many entries behind a sort key, as a JSON array, and their number. */
const prepareIds = (db: Database, { docs, keys = docs, order }: ListShape) =>
  db.prepare<[ids: string, found: number]>(
    `select json_group_array(id), count(*) from (
       select id from ${keys} and ${order[0]} <= ? and (${order.join(', ')}) > (?, ?) order by ${order.join(', ')} limit ? + 0)`,
    'number',
    'tuples',
  )
