import type { Clock } from '../../lib/clock.ts'
import { isThisMachine, networkOf } from '../../lib/network.ts'
import type { Storage } from '../../storage/port/index.ts'
import { auditEntry, byStranger, type From } from '../audit/audit.ts'

/** Windows begin at multiples of it, on every node alike. */
const window = 3600

/**
 * Entries an hour. The log is kept for good and anybody may try to sign in, so the throttle alone, which lets 100 a
 * minute from an address be looked at, would let strangers fill the disk. The first few tell what there is to know.
 */
export const mostRefusalsTold = { byNetwork: 20, byAll: 1000 }

/** Tells the audit log of refused sign-ins, within bounds; the last entry within a bound says that more are not told. */
export function createRefusedSignIns({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'audit' | 'throttles'>
  clock: Clock
}) {
  const count = (key: string) => storage.throttles.hit(`refusal-told ${key}`, clock.now(), window)

  /** Counted for an email that nobody has too (`account_id` null): the time it takes must not tell the two apart. */
  return async (account_id: string | null, from: From): Promise<void> => {
    const address = from.address ?? ''
    // This machine may be a proxy that is not trusted, with everybody behind it.
    const ofNetwork = isThisMachine(address) ? 0 : await count(networkOf(address))
    if (ofNetwork > mostRefusalsTold.byNetwork) return
    const ofAll = await count('all')
    if (ofAll > mostRefusalsTold.byAll) return
    const detail = lastWord(ofNetwork, ofAll)
    await storage.audit.append(auditEntry(clock, byStranger(from), 'sign_in_refused', { account_id, detail }))
  }
}

function lastWord(ofNetwork: number, ofAll: number): string | null {
  const { byNetwork, byAll } = mostRefusalsTold
  if (ofAll === byAll) return `the ${byAll}th of this hour; no more of it are written`
  return ofNetwork === byNetwork
    ? `the ${byNetwork}th from there in this hour; no more of it are written`
    : null
}
