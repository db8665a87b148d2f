import type { ExistingRows, RecordChanges } from '../../port/index.ts'
import { changesOf } from '../../shared/webhooks.ts'
import type { Transaction } from '../connection/transaction.ts'
import { recordAuthorizationChanges } from '../webhooks/outbox.ts'

/**
 * A store whose merchant changes loses the authorizations of its former merchant; the operator's own links stay. Only
 * such a batch takes the extra round trips, and locks authorizations: behind its stores and before their links, as
 * every other change of an authorization.
 */
export async function endConsents(
  tx: Transaction,
  existing: ExistingRows,
  { stores, least_seq = 0 }: RecordChanges,
): Promise<void> {
  const merchantOf = new Map(existing.stores.map(({ id, merchant }) => [id, merchant]))
  const leaving = stores.filter(({ id, merchant }) => merchantOf.has(id) && merchantOf.get(id) !== merchant)
  if (leaving.length === 0) return
  const linked = await Promise.all(
    leaving.map(({ id }) =>
      tx.query<{ authorization_id: string }>(
        `select authorization_id from authorization_stores where store_id = $1
           and authorization_id in (select id from authorizations where account_id is not null)`,
        [id],
      ),
    ),
  )
  const ids = [...new Set(linked.flatMap(rows => rows.map(row => row.authorization_id)))]
  if (ids.length === 0) return
  tx.send('select 1 from authorizations where id = any ($1::text[]) order by id for update', [ids])
  const unlinked = await Promise.all(
    leaving.map(({ id }) =>
      tx.query<{ authorization_id: string; store_id: bigint }>(
        `delete from authorization_stores where store_id = $1 and authorization_id = any ($2::text[])
         returning authorization_id, store_id`,
        [id, ids],
      ),
    ),
  )
  // A seq begins with the time of its change.
  await recordAuthorizationChanges(tx, changesOf(unlinked.flatMap(rows => [...rows])), least_seq / 1000)
}
