import { commonScopes } from '../../contract/scopes.ts'
import { storedAt } from '../../lib/seq.ts'
import { messageBody, messageId } from '../../lib/webhook-message.ts'
import {
  type ActiveEndpoint,
  type LeasedPosition,
  changeKinds,
  type NewDelivery,
} from '../../storage/port/index.ts'
import { covers } from '../reading/access.ts'
import { scopeOfKind } from '../reading/changes.ts'
import { feedOf } from '../reading/feed.ts'

/**
 * The event for a store as it is now; null when the app may read neither its orders nor its items. The same seq gives the
 * same event, and the same `webhook-id`.
 */
export function storeChanged(
  { id: endpoint_id, scope }: ActiveEndpoint,
  { store_id, seq, scope: allowed }: LeasedPosition,
  history: string,
  now_ms: number,
): NewDelivery | null {
  const readable = commonScopes(scope, allowed)
  const kinds = changeKinds.filter(kind => covers(readable, scopeOfKind[kind]))
  if (kinds.length === 0) return null
  const feed = feedOf(history, kinds)
  const at = storedAt(seq)
  const data = `{"store_id":${store_id},"seq":${seq},"feed":${JSON.stringify(feed)}}`
  return {
    endpoint_id,
    id: messageId(endpoint_id, String(store_id), feed, String(seq)),
    type: 'store.changed',
    store_id,
    body: messageBody('store.changed', at === null ? now_ms : at * 1000, data),
    created_at_ms: now_ms,
  }
}
