import { maxInt64, minInt64 } from '../../../lib/int64.ts'
import type { LeasedPosition, DuePosition, DueScope, WebhookPositions } from '../../port/index.ts'
import { firstAfter } from '../../shared/list.ts'
import { readsChangesSql } from '../../shared/scopes.ts'
import type { Database } from '../connection/database.ts'

/** Rows that are read in one step, a few milliseconds; between two steps other requests are answered. */
const step = 2000

const positions = 'webhook_positions as known join stores on stores.id = known.store_id'
const positionsOfEndpoint = `webhook_positions as known indexed by webhook_positions_by_endpoint
  cross join stores on stores.id = known.store_id`
/** By the stores that have moved: nearly all positions know their store's newest seq. */
const positionsOfMoved = `stores indexed by stores_by_seq
  cross join webhook_positions as known on known.store_id = stores.id`

/** Of endpoints that may be called, in stores whose changes their app may read, behind the store; ?1 history. */
const endpoints = `webhook_endpoints on webhook_endpoints.id = known.endpoint_id
  join apps on apps.id = webhook_endpoints.app_id`
const isDue = `(stores.seq > known.seq or known.history <> ?1)
  and webhook_endpoints.disabled_at is null and instr(webhook_endpoints.events, 'store.changed') > 0
  and apps.disabled_at is null and not apps.webhooks_paused
  and exists (select 1 from authorization_stores as linked
    where linked.store_id = known.store_id and linked.app_id = webhook_endpoints.app_id
      and ${readsChangesSql('linked.scope', 'apps.scope')})`

export function createPositions(db: Database): WebhookPositions {
  /** The end of a range of `step` rows. */
  const prepareLast = (column: string, rows: string) =>
    db.prepare<[last: bigint]>(
      `select ${column} from ${rows} order by ${column} limit 1 offset ${step - 1}`,
      'bigint',
      'tuples',
    )
  const lastLinked = prepareLast(
    'store_id',
    `authorization_stores indexed by authorization_stores_by_app
     where app_id = (select app_id from webhook_endpoints where id = ?2) and store_id >= ?1`,
  )
  const lastPosition = prepareLast(
    'store_id',
    'webhook_positions indexed by webhook_positions_by_endpoint where endpoint_id = ?2 and store_id >= ?1',
  )
  const lastMoved = prepareLast('seq', 'stores indexed by stores_by_seq where seq >= ?1')
  const linked = `webhook_endpoints join authorization_stores as linked indexed by authorization_stores_by_app
      on linked.app_id = webhook_endpoints.app_id
    where webhook_endpoints.id = ?1 and linked.store_id >= ?2 and linked.store_id <= ?3
      and not exists (select 1 from webhook_positions as known
        where known.store_id = linked.store_id and known.endpoint_id = ?1)`
  const isMissing = db.prepare(`select 1 from ${linked} limit 1`)
  const complete = db.prepare(
    `insert into webhook_positions (store_id, endpoint_id, history, seq)
     select distinct linked.store_id, webhook_endpoints.id, '', 0 from ${linked}`,
  )
  const prepareDue = (from: string, scope: string) =>
    db.prepare<DuePosition>(
      `select known.endpoint_id, known.store_id, max(known.next_at_ms, known.leased_until_ms) as next_at_ms
       from ${from} join ${endpoints}
       where ${scope} and ${isDue} and webhook_endpoints.retry_at_ms <= ?2
       order by known.store_id, known.endpoint_id limit ?4 + 0`,
      'bigint',
    )
  const ofStores = prepareDue(positions, 'known.store_id in (select value from json_each(?3))')
  const moved = prepareDue(positionsOfMoved, 'stores.seq >= ?5 and stores.seq <= ?6')
  const ofEndpoint = prepareDue(
    positionsOfEndpoint,
    // With BETWEEN, SQLite would read from the beginning of the range to the end of the index.
    'known.endpoint_id = ?3 and known.store_id >= ?5 and known.store_id <= ?6',
  )
  const lease = db.prepare<LeasedPosition>(
    `update webhook_positions set lease = ?5, leased_until_ms = ?6
     where endpoint_id = ?3 and store_id = ?4 and next_at_ms <= ?2 and leased_until_ms <= ?2
       and exists (select 1 from ${positions} join ${endpoints}
         where known.endpoint_id = ?3 and known.store_id = ?4 and ${isDue})
     returning endpoint_id, store_id, (select stores.seq from stores where stores.id = store_id) as seq,
       (select group_concat(linked.scope, ' ') from authorization_stores as linked
        where linked.store_id = webhook_positions.store_id
          and linked.app_id = (select app_id from webhook_endpoints where id = ?3)) as scope`,
    'bigint',
  )

  /** Ranges with about `step` rows each, from the first key to the last. */
  async function* rangesOf(statement: typeof lastMoved, from: bigint, ...values: string[]) {
    for (let first = from; first <= maxInt64; ) {
      const [last = maxInt64] = (await db.query(() => statement.get(first, ...values))) ?? []
      yield [first, last] as const
      first = last + 1n
      await new Promise(setImmediate)
    }
  }

  function rangesIn(scope: Exclude<DueScope, { store_ids: unknown }>) {
    if ('above' in scope) return rangesOf(lastMoved, BigInt(scope.above) + 1n)
    const { endpoint_id, after } = scope
    return rangesOf(lastPosition, firstAfter(after), endpoint_id)
  }

  return {
    async complete(endpoint_id) {
      for await (const range of rangesOf(lastLinked, minInt64, endpoint_id)) {
        // Nearly always there are none, and reading waits for nobody.
        if (!(await db.query(() => isMissing.get(endpoint_id, ...range)))) continue
        await db.write(() => complete.run(endpoint_id, ...range))
      }
    },
    async due(scope, history, now_ms, limit) {
      if ('store_ids' in scope) {
        const ids = `[${scope.store_ids.join(',')}]`
        return db.query(() => ofStores.all(history, now_ms, ids, limit))
      }
      const [statement, value] = 'above' in scope ? [moved, null] : [ofEndpoint, scope.endpoint_id]
      const found: DuePosition[] = []
      for await (const range of rangesIn(scope)) {
        const left = limit - found.length
        const rows = await db.query(() => statement.all(history, now_ms, value, left, ...range))
        found.push(...rows)
        if (found.length === limit) break
      }
      return found
    },
    lease: (positions, history, { id, now_ms, until_ms }) =>
      db.write(() =>
        positions.flatMap(({ endpoint_id, store_id }) => {
          const row = lease.get(history, now_ms, endpoint_id, store_id, id, until_ms)
          return row ?? []
        }),
      ),
  }
}
