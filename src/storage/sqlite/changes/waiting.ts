import type { Changes, StoreVersions, WaitingAccess } from '../../port/index.ts'
import type { Access } from '../apps/access.ts'
import type { Database } from '../connection/database.ts'

/** Entries of a list that are read in one step, about a millisecond; between two steps other requests are answered. */
const step = 500

/** What requests that wait ask for, all at once. Lists are sent as JSON: a statement for each entry takes longer. */
export function createWaitingReads(
  db: Database,
  { facts }: Access,
): Pick<Changes, 'state' | 'moved' | 'access'> {
  // The first changes with commits of other connections, the second with writes of this one.
  const state = db.prepare<[state: string]>(
    "select data_version || ' ' || total_changes() from pragma_data_version",
    'number',
    'tuples',
  )
  // CROSS JOIN keeps this order: the list is not longer than the table, and usually much shorter.
  const moved = db.prepare<[bigint, bigint, bigint]>(
    `select stores.id, orders_version, items_version
     from json_each(?) as known cross join stores on stores.id = cast(known.key as integer)
     where stores.seq > known.value`,
    'bigint',
    'tuples',
  )
  const links = db.prepare<[store_id: bigint, scope: string]>(
    `select store_id, scope from authorization_stores indexed by authorization_stores_by_app
     where app_id = ?1 and store_id in (select value from json_each(?3)) and (?2 is null or authorization_id = ?2)`,
    'bigint',
    'tuples',
  )

  let readInStep = 0
  /** Calls `read` for a part of the list at a time. Short lists share a step. */
  async function inSteps<T>(list: readonly T[], read: (part: readonly T[]) => void): Promise<void> {
    for (let i = 0; i < list.length; i += step) {
      const part = list.slice(i, i + step)
      await db.query(() => read(part))
      readInStep += part.length
      if (readInStep < step) continue
      readInStep = 0
      await new Promise(setImmediate)
    }
  }

  return {
    state: () => db.query(() => (state.get() as [string])[0]),
    async moved(known) {
      const found: StoreVersions[] = []
      await inSteps([...known], part => {
        const list = `{${part.map(([id, seq]) => `"${id}":${seq}`).join(',')}}`
        for (const [id, orders, items] of moved.all(list)) {
          found.push({ id, orders_version: Number(orders), items_version: Number(items) })
        }
      })
      return found
    },
    async access(reads) {
      const found: WaitingAccess[] = []
      for (const { claim, store_ids } of reads) {
        const allowed = new Map<bigint, string>()
        await inSteps(store_ids, part => {
          const found = links.all(claim.app_id, claim.authorization_id, `[${part.join(',')}]`)
          for (const [store_id, scope] of found)
            allowed.set(store_id, `${allowed.get(store_id) ?? ''} ${scope}`)
        })
        const { app_live, app_scope, token_revoked, authorization_live } = facts(claim, null)
        found.push({ token: { app_live, app_scope, token_revoked, authorization_live }, allowed })
      }
      return found
    },
  }
}
