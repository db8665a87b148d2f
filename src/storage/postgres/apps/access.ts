import type { AccessFacts, ReadClaim, TokenFamily } from '../../port/index.ts'
import { everyScope } from '../../shared/scopes.ts'
import type { RawRow } from '../connection/connection.ts'
import type { Value } from '../connection/values.ts'

/** The version of a store that rises with every change of a list. */
export type ListVersion = 'orders_version' | 'items_version'

/**
 * The facts for a claim as one row; $1 to $5 are `claimValues`, $6 the store. $1 is null for a person, whose account is
 * $2. A list adds its page, which depends on `readable`, to the same statement: one round trip and one snapshot, on
 * Citus on the worker of the store.
 */
export const storeFacts = facts({
  allowed: `case when $1::text is null
    then (
      select '${everyScope}' from accounts
      where id = $2 and (role = 'operator' or (role = 'merchant' and email = stores.merchant)))
    else (
      select string_agg(scope, ' ') from authorization_stores
      where store_id = $6 and app_id = $1 and ($2::text is null or authorization_id = $2)) end`,
  readable: 'and store_scope is not null and doc is not null',
  columns: 'stores.doc, stores.orders_version, stores.items_version, stores.seq',
  from: 'from (select 1) as one left join stores on stores.id = $6',
})

/** The facts for a claim without a store: $1 to $5. */
export const tokenFacts = facts({
  allowed: 'null::text',
  readable: '',
  columns: 'null as doc, null as orders_version, null as items_version, null as seq',
  from: '',
})

function facts({
  allowed,
  readable,
  columns,
  from,
}: Record<'allowed' | 'readable' | 'columns' | 'from', string>): string {
  return `select *, (app_scope is not null and not token_revoked and authorization_live ${readable}) as readable from (
    select
      case when $1::text is null
        then (select '${everyScope}' from accounts where id = $2 and disabled_at is null)
        else (select scope from apps where id = $1 and disabled_at is null) end as app_scope,
      ${isRevoked('$3', '$4', '$5')} as token_revoked,
      $1::text is null or $2::text is null or exists (
        select 1 from authorizations where id = $2 and app_id = $1 and revoked_at is null) as authorization_live,
      ${allowed} as store_scope,
      ${columns}
    ${from} offset 0
  ) as facts`
}

/** The place of the first value after `claimValues`. */
export const afterClaim = 6

export const claimValues = (claim: ReadClaim): Value[] =>
  'account_id' in claim
    ? [null, claim.account_id, ...tokenValues(null)]
    : [claim.app_id, claim.authorization_id, ...tokenValues(claim.jti, claim.family)]

/** A row of revoked_tokens is one token, or the generations of a family from its own on. */
export function isRevoked(jti: string, family: string, generation: string): string {
  return `(exists (select 1 from revoked_tokens where jti = ${jti}) or exists (
    select 1 from revoked_tokens where jti = ${family} and generation <= ${generation}::bigint))`
}

/** The values of `isRevoked`. */
export const tokenValues = (jti: string | null, family?: TokenFamily): Value[] => [
  jti,
  family?.id ?? null,
  family?.generation ?? 0,
]

/** Splits a row into the facts and the columns that the statement added after them. */
export function readFacts(row: RawRow): { facts: AccessFacts; readable: boolean; rest: RawRow } {
  const [app_scope, token_revoked, authorization_live, store_scope, ...afterAccess] = row
  const [doc, orders, items, seq, readable, ...rest] = afterAccess
  return {
    facts: {
      app_live: app_scope !== null,
      app_scope: String(app_scope ?? ''),
      token_revoked: isTrue(token_revoked),
      authorization_live: isTrue(authorization_live),
      store: doc
        ? {
            doc: doc.toString(),
            orders_version: Number(orders),
            items_version: Number(items),
            seq: Number(seq),
          }
        : null,
      store_allowed: store_scope !== null,
      store_scope: String(store_scope ?? ''),
    },
    readable: isTrue(readable),
    rest,
  }
}

const isTrue = (value: Buffer | null | undefined): boolean => value?.[0] === 0x74 // 't'
