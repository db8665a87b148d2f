import type { Clock } from '../../lib/clock.ts'
import { orderedId } from '../../lib/ids.ts'
import type { Account, AuditAction, AuditEntry } from '../../storage/port/index.ts'

/** Who acts, and from where. Every change that has an audit entry takes one. */
export type By = Pick<AuditEntry, 'actor_kind' | 'actor_id' | 'actor_name' | 'address' | 'request_id'>

/** Where a request came from. */
export type From = Pick<AuditEntry, 'address' | 'request_id'>

type About = Partial<Pick<AuditEntry, 'account_id' | 'app_id' | 'store_ids' | 'detail'>>

export const byAccount = ({ id, email }: Pick<Account, 'id' | 'email'>, from: From): By => ({
  actor_kind: 'account',
  actor_id: id,
  actor_name: email,
  ...from,
})

/** Somebody who is not signed in. */
export const byAnonymous = (from: From): By => ({
  actor_kind: 'account',
  actor_id: null,
  actor_name: null,
  ...from,
})

export const byApp = ({ id, name }: { id: string; name: string | null }, from: From): By => ({
  actor_kind: 'app',
  actor_id: id,
  actor_name: name,
  address: from.address,
  request_id: from.request_id,
})

/** A command on the server's own machine. */
export const byCommand = (user: string): By => ({
  actor_kind: 'command',
  actor_id: null,
  actor_name: user,
  address: null,
  request_id: null,
})

/** The server by its own rules: it ends tokens when a refresh token is used twice. */
export const byServer: By = {
  actor_kind: 'server',
  actor_id: null,
  actor_name: null,
  address: null,
  request_id: null,
}

export function auditEntry(clock: Clock, by: By, action: AuditAction, about: About = {}): AuditEntry {
  const at = clock.now()
  return {
    id: orderedId(at),
    at,
    action,
    ...by,
    account_id: null,
    app_id: null,
    store_ids: [],
    detail: null,
    ...about,
  }
}
