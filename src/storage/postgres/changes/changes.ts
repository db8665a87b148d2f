import type { ChangeKind, Changes, ChangesChunk, ChangesQuery } from '../../port/index.ts'
import { emptyChunk } from '../../shared/list.ts'
import { partsOf } from '../../shared/parts.ts'
import { writeAudit } from '../accounts/audit.ts'
import { afterClaim, claimValues, readFacts, storeFacts } from '../apps/access.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import { createHeads } from './heads.ts'
import {
  historyColumns,
  type HistoryRow,
  readHistory,
  recordServer,
  beginHistory,
  serverSql,
} from './history.ts'
import { receiptsOf, receiptsSql } from './receipts.ts'
import { createWaitingReads } from './waiting.ts'

const [store, after, limit, newest] = [0, 1, 2, 3].map(place => `$${afterClaim + place}`) as [
  string,
  string,
  string,
  string,
]

/** The first entries of one kind behind `after`, each as in the answer. */
const entries = (kind: ChangeKind, table: string, id: string): string =>
  `select seq, '${kind}' as kind, '{"seq":' || seq || ',"kind":"${kind}","id":' || ${id} || ',"data":' || doc || '}' as entry
   from ${table} where facts.readable and store_id = ${store} and seq > ${after} order by seq limit ${limit}`

const entriesOf: Record<ChangeKind, string> = {
  order: entries('order', 'orders', 'to_json(id)::text'),
  item: entries('item', 'items', 'id'),
}

/**
 * After the claim: store, after, limit, the newest seq of the page's first read; null for that read, whose snapshot has
 * no newer one. One statement: facts, history and entries are of one moment. Each kind has a limit of
 * its own, and none an upper bound: with either, PostgreSQL may sort the rest of the store.
 */
export const changesSql = (kinds: readonly ChangeKind[]): string =>
  `with facts as materialized (${storeFacts})
   select facts.*, ${historyColumns}, page.* from facts cross join ${serverSql} left join lateral (
     select count(*) as rows, count(*) filter (where kind = 'order') as orders, max(seq) as last_seq, string_agg(entry, ',') as entries from (
       select seq, kind, entry from (
         ${kinds.map(kind => `(${entriesOf[kind]})`).join(' union all ')}
       ) as merged order by seq limit ${limit}
     ) as ordered where ${newest}::bigint is null or seq <= ${newest}
   ) as page on true`

const historySql = `select ${historyColumns} from ${serverSql}`

export function createChanges(db: Database, { keepsHistory }: { keepsHistory: boolean }): Changes {
  const both = changesSql(['order', 'item'])
  const only = { order: changesSql(['order']), item: changesSql(['item']) }

  /** Runs a statement until it is answered by a server that the database knows. */
  async function readKnown<T extends { from: HistoryRow }>(read: () => Promise<T>): Promise<T> {
    const first = await read()
    if (first.from.server.is_known) return first
    await recordServer(db, first.from.server, keepsHistory)
    return read()
  }

  async function read(
    claim: Parameters<typeof claimValues>[0],
    { store_id, after, kinds }: ChangesQuery,
    { limit, head, left }: { limit: number; head: number | null; left: number },
  ) {
    const sql = kinds.length > 1 ? both : only[kinds[0] as ChangeKind]
    const wanted = Math.min(limit, left)
    const row = await db.rawRow(sql, [...claimValues(claim), store_id, after, wanted, head])
    const { facts, readable, rest } = readFacts(row)
    const from = readHistory(rest)
    const end = head ?? facts.store?.seq ?? 0
    return { facts, from, chunk: readable ? chunkOf(rest.slice(4), wanted, end, left) : null }
  }

  return {
    async page({ claim, query, limit, count }) {
      const { facts, from, chunk } = await readKnown(() =>
        read(claim, query, { limit, head: null, left: count }),
      )
      return { facts, history: from.history, chunk }
    },
    async more({ claim, query, after: cursor, limit }) {
      const [after, head, left] = cursor as readonly [number, number, number]
      const { facts, chunk } = await read(claim, { ...query, after }, { limit, head, left })
      return { ...(chunk ?? { ...emptyChunk(), orders: 0, last_seq: null }), facts }
    },
    ...createHeads(db),
    async receipts({ claim, query: { store_id, first_day, last_day } }) {
      const { facts, from, receipts } = await readKnown(async () => {
        const row = await db.rawRow(receiptsSql, [...claimValues(claim), store_id, first_day, last_day])
        const { facts, readable, rest } = readFacts(row)
        return { facts, from: readHistory(rest), receipts: readable ? receiptsOf(rest.slice(4)) : null }
      })
      return { facts, history: from.history, receipts }
    },
    ...createWaitingReads(db),
    async history() {
      const { from } = await readKnown(async () => ({ from: readHistory(await db.rawRow(historySql, [])) }))
      return from.history
    },
    renewHistory: audit =>
      db.write(async tx => {
        const history = await beginHistory(tx)
        if (audit) writeAudit(tx, audit)
        return history
      }),
  }
}

function chunkOf(
  [count, orders, last, bytes]: RawRow,
  wanted: number,
  head: number,
  left: number,
): ChangesChunk {
  const rows = Number(count)
  const last_seq = last ? Number(last) : null
  const isEnd = rows < wanted || rows === left || last_seq === head || last_seq === null
  return {
    parts: partsOf(bytes),
    rows,
    orders: Number(orders),
    next: isEnd ? null : [last_seq, head, left - rows],
    last_seq,
  }
}
