import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/port/index.ts'
import { auditEntry, type By } from './audit/audit.ts'

/**
 * Begins a new history, for a database that may lack changes which clients of `changes` have seen: each gets 409 and
 * reads its stores again. Returns the text with which every feed begins from now on.
 */
export const renewHistory = (
  { storage, clock }: { storage: Pick<Storage, 'changes'>; clock: Clock },
  by: By,
): Promise<string> => storage.changes.renewHistory(auditEntry(clock, by, 'feed_renewed'))
