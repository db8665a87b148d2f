import type { Clock } from '../lib/clock.ts'
import type { AuditLine, Storage } from '../storage/port/index.ts'
import { auditEntry, type By } from './audit/audit.ts'

/** What there is to turn on and off, by the name in the database. */
type Switch = 'sign_up'

/** What the operator turns on and off while the server runs; every node asks at every use. */
export function createSwitches({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'switches' | 'audit'>
  clock: Clock
}) {
  const isOn = (name: Switch): Promise<boolean> => storage.switches.isOn(name)
  return {
    isOn,
    /** That it is so already is told to nobody. */
    async set(name: Switch, on: boolean, by: By): Promise<void> {
      if ((await isOn(name)) === on) return
      const detail = `${name} ${on ? 'on' : 'off'}`
      await storage.switches.set(name, on, auditEntry(clock, by, 'switch_set', { detail }))
    },
    /** Who turned it last, and when; null when nobody ever did. */
    async lastSet(name: Switch): Promise<AuditLine | null> {
      const { lines } = await storage.audit.list({ action: 'switch_set', limit: 100, look: 101 })
      return lines.find(({ detail }) => detail?.split(' ')[0] === name) ?? null
    },
  }
}
