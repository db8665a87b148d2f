import type { Clock } from '../../lib/clock.ts'
import { isThisMachine, networkOf } from '../../lib/network.ts'
import { windowEnd } from '../../lib/window.ts'
import type { Storage } from '../../storage/port/index.ts'
import { auditEntry, byAnonymous, type From } from '../audit/audit.ts'

const window = 3600

/**
 * Entries an hour. The log is never deleted and anybody can try to sign in, so the throttle alone, at 100 attempts a
 * minute from an address, would let strangers fill the disk.
 */
export const maxRefusalsRecorded = { byNetwork: 20, byAll: 1000 }

/** Records refused sign-ins in the audit log up to a limit; the last entry within the limit says so. */
export function createRefusedSignIns({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'audit' | 'throttles'>
  clock: Clock
}) {
  const count = (key: string) => {
    const now = clock.now()
    return storage.throttles.hit(`refusal-recorded ${key}`, now, windowEnd(now, window))
  }

  /** Also counts an unknown email (`account_id` null), so that the response time is the same as for a known one. */
  return async (account_id: string | null, from: From): Promise<void> => {
    const address = from.address ?? ''
    // This machine's address may be that of an untrusted proxy, with all clients behind it.
    const ofNetwork = isThisMachine(address) ? 0 : await count(networkOf(address))
    if (ofNetwork > maxRefusalsRecorded.byNetwork) return
    const ofAll = await count('all')
    if (ofAll > maxRefusalsRecorded.byAll) return
    const detail = limitNote(ofNetwork, ofAll)
    await storage.audit.append(
      auditEntry(clock, byAnonymous(from), 'sign_in_refused', { account_id, detail }),
    )
  }
}

function limitNote(ofNetwork: number, ofAll: number): string | null {
  const { byNetwork, byAll } = maxRefusalsRecorded
  if (ofAll === byAll) return `the ${byAll}th in this hour; further ones are not recorded`
  return ofNetwork === byNetwork
    ? `the ${byNetwork}th from this network in this hour; further ones are not recorded`
    : null
}
