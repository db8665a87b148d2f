import type { Clock } from '../lib/clock.ts'
import { changeKinds, type Storage } from '../storage/port/index.ts'
import { auditEntry, type By } from './audit/audit.ts'
import { feedOf } from './reading/feed.ts'

/**
 * Begins a new history, for a database that may lack changes which clients of `changes` have seen: each gets 409 and
 * reads its stores again. Returns the new feed of all kinds.
 */
export async function renewHistory(
  { storage, clock }: { storage: Pick<Storage, 'changes'>; clock: Clock },
  by: By,
): Promise<string> {
  const history = await storage.changes.renewHistory(auditEntry(clock, by, 'feed_renewed'))
  return feedOf(history, changeKinds)
}
