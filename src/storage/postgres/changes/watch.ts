import type { AccessClaim, AccessFacts, Changes, StoreFacts, WaitingRead } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

/** Reads of one round of statements: a list of this length is a small message. */
const maxReads = 2000

/**
 * The facts for many claims, by statements about lists of stores, tokens and apps: a join with a list of claims is not
 * possible on Citus. Each statement has its own snapshot: every fact is current, and none depends on another.
 */
export function createWatch(db: Database): Changes['watch'] {
  return async reads => {
    const facts: AccessFacts[] = []
    for (let i = 0; i < reads.length; i += maxReads) {
      facts.push(...(await readFactsOf(db, reads.slice(i, i + maxReads))))
    }
    return facts
  }
}

async function readFactsOf(db: Database, reads: readonly WaitingRead[]): Promise<AccessFacts[]> {
  const unique = <T>(values: (T | null)[]) => [...new Set(values.filter(value => value !== null))] as T[]
  const store_ids = unique(reads.map(({ store_id }) => store_id))
  const app_ids = unique(reads.map(({ claim }) => claim.app_id))
  const authorization_ids = unique(reads.map(({ claim }) => claim.authorization_id))
  const [stores, links, apps, tokens, authorizations] = await Promise.all([
    db.query<StoreFacts & { id: bigint }>(
      'select id, doc, orders_version, items_version, seq from stores where id = any ($1::bigint[])',
      [store_ids],
    ),
    db.query<{ store_id: bigint; app_id: string; authorization_id: string }>(
      `select store_id, app_id, authorization_id from authorization_stores
       where store_id = any ($1::bigint[]) and app_id = any ($2::text[])`,
      [store_ids, app_ids],
    ),
    db.query<{ id: string }>('select id from apps where id = any ($1::text[]) and disabled_at is null', [
      app_ids,
    ]),
    db.query<{ jti: string; generation: number }>(
      'select jti, generation from revoked_tokens where jti = any ($1::text[])',
      [unique(reads.flatMap(({ claim }) => [claim.jti, claim.family?.id ?? null]))],
    ),
    authorization_ids.length > 0
      ? db.query<{ id: string; app_id: string }>(
          'select id, app_id from authorizations where id = any ($1::text[]) and revoked_at is null',
          [authorization_ids],
        )
      : [],
  ])
  const storeOf = new Map(stores.map(({ id, ...row }) => [id, row]))
  const liveApps = new Set(apps.map(({ id }) => id))
  const revoked = new Map(tokens.map(({ jti, generation }) => [jti, generation]))
  /** As `isRevoked` of apps/access.ts. */
  const hasEnded = ({ jti, family }: AccessClaim) =>
    revoked.has(jti) ||
    (family !== undefined && (revoked.get(family.id) ?? Number.POSITIVE_INFINITY) <= family.generation)
  const appOf = new Map(authorizations.map(({ id, app_id }) => [id, app_id]))
  const linked = new Set(
    links.flatMap(({ store_id, app_id, authorization_id }) => [
      `${store_id} ${app_id}`,
      `${store_id} ${app_id} ${authorization_id}`,
    ]),
  )
  return reads.map(({ claim, claim: { app_id, authorization_id }, store_id }) => ({
    app_live: liveApps.has(app_id),
    token_revoked: hasEnded(claim),
    authorization_live: authorization_id === null || appOf.get(authorization_id) === app_id,
    store: storeOf.get(store_id) ?? null,
    store_allowed: linked.has(
      `${store_id} ${app_id}${authorization_id === null ? '' : ` ${authorization_id}`}`,
    ),
  }))
}
