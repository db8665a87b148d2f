import { advance, named, nextIds, type Pin, pinned, readPin } from '../../shared/page-snapshot.ts'
import type { Chunk, Cursor, OrderField, OrderQuery, Orders } from '../../port/index.ts'
import { stride } from '../../shared/roads.ts'
import { type Access, mayReadStore } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'
import { createList, emptyChunk, type ListShape } from './list.ts'
import { createSignposts, type Walk } from './signposts.ts'

const within = (field: OrderField) => `where store_id = ? and ${field} <= ?`

const shapes: Record<OrderField, ListShape> = {
  created_at: {
    docs: `orders ${within('created_at')}`,
    keys: `orders indexed by orders_by_created ${within('created_at')}`,
    order: ['created_at', 'id'],
  },
  updated_at: {
    docs: `orders indexed by orders_by_updated ${within('updated_at')}`,
    order: ['updated_at', 'id'],
  },
  paid_at: {
    docs: `orders indexed by orders_by_paid ${within('paid_at')}`,
    order: ['paid_at', 'id'],
  },
}

export function createOrders(db: Database, access: Access): Orders {
  const by = (field: OrderField) => ({
    list: createList(db, shapes[field]),
    idsBehind: prepareIds(db, shapes[field]),
    countBefore: prepareCount(db, shapes[field]),
  })
  const lists = { created_at: by('created_at'), updated_at: by('updated_at'), paid_at: by('paid_at') }
  const signposts = createSignposts()
  const byId = db.prepare<[doc: string]>(
    'select doc from orders where store_id = ? and id = ?',
    'number',
    'tuples',
  )
  const scope = ({ store_id, to }: OrderQuery) => [store_id, to]

  function begin(query: OrderQuery, version: number, offset: number, limit: number, total?: number): Chunk {
    const { list, countBefore } = lists[query.field]
    const within = scope(query)
    if (offset < stride) return list.page(within, query.from, offset, limit, total)
    const walk: Walk = {
      from: (time, steps) => list.keyFrom(within, time, steps),
      behind: (key, steps) => list.keyBehind(within, key, steps),
      count: (key, time) => countBefore.get(query.store_id, time, ...key)?.[0] ?? 0,
    }
    const start = signposts.find(`${query.field} ${query.store_id}`, version, walk, query.from, offset)
    return start ? list.pageAt(within, start, limit, total) : emptyChunk()
  }

  /** The cursor for a rest of `left` entries, all of which are named now. */
  function pinRest(query: OrderQuery, key: Cursor, left: number, version: number): Cursor | null {
    const [ids, found] = lists[query.field].idsBehind.get(...scope(query), ...key, left) as [string, number]
    return found === 0 ? null : pinned({ version, key, ids, done: 0, left: found })
  }

  function readPinned(query: OrderQuery, pin: Pin, limit: number, version: number | undefined): Chunk {
    if (version === pin.version) {
      const chunk = lists[query.field].list.more(scope(query), pin.key, limit, pin.left)
      return { ...chunk, next: chunk.next && advance(pin, chunk.rows, chunk.next) }
    }
    const ids = nextIds(pin, limit)
    const docs = ids.flatMap(id => byId.get(query.store_id, id) ?? [])
    return { bytes: Buffer.from(docs.join(',')), rows: docs.length, next: advance(named(pin), ids.length) }
  }

  return {
    async page(claim, query, offset, limit, known, total) {
      const asked = { claim, store_id: query.store_id, version: 'orders_version', known } as const
      const { facts, found } = await access.read(asked, version => {
        const chunk = begin(query, version, offset, limit, total)
        if (chunk.next === null || total === undefined) return chunk
        return { ...chunk, next: pinRest(query, chunk.next, total - chunk.rows, version) }
      })
      return { facts, chunk: found }
    },
    more: (query, after, limit, claim) =>
      db.read(() => {
        const facts = claim && access.facts(claim, query.store_id)
        if (facts && !mayReadStore(facts)) return { ...emptyChunk(), facts }
        const pin = readPin(after)
        const chunk = pin
          ? readPinned(query, pin, limit, facts?.store?.orders_version)
          : lists[query.field].list.more(scope(query), after, limit)
        return facts ? { ...chunk, facts } : chunk
      }),
  }
}

/** The ids of so many entries behind a sort key, as a JSON array, and how many these are. */
const prepareIds = (db: Database, { docs, keys = docs, order }: ListShape) =>
  db.prepare<[ids: string, found: number]>(
    `select json_group_array(id), count(*) from (
       select id from ${keys} and (${order.join(', ')}) > (?, ?) order by ${order.join(', ')} limit ? + 0)`,
    'number',
    'tuples',
  )

/** How many entries there are from a sort key on, up to a time that no longer counts. */
const prepareCount = (db: Database, { docs, keys = docs, order }: ListShape) =>
  db.prepare<[count: number]>(
    `select count(*) from ${keys.replace('<= ?', '< ?')} and (${order.join(', ')}) >= (?, ?)`,
    'number',
    'tuples',
  )
