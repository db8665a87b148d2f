import type { Clock } from '../lib/clock.ts'
import type { AuditLine, Role, Storage } from '../storage/port/index.ts'
import { auditEntry, type By } from './audit/audit.ts'

/** Settings that are on or off, by their name in the database. */
export type Switch = 'sign_up' | `two_factor_${Role}`

/** Settings that the operator changes at run time; every node reads them at every use. */
export function createSwitches({
  storage,
  clock,
  sandbox = false,
}: {
  storage: Pick<Storage, 'switches' | 'audit'>
  clock: Clock
  /** Sign-up is on until the operator turns it off. */
  sandbox?: boolean
}) {
  const isOn = (name: Switch): Promise<boolean> => storage.switches.isOn(name, sandbox && name === 'sign_up')

  return {
    isOn,
    /** Writes no audit entry when the setting has this value already. */
    async set(name: Switch, on: boolean, by: By): Promise<void> {
      if ((await isOn(name)) === on) return
      const detail = `${name} ${on ? 'on' : 'off'}`
      await storage.switches.set(name, on, auditEntry(clock, by, 'switch_set', { detail }))
    },
    /** The audit entry of the last change; null when it was never changed. */
    async lastSet(name: Switch): Promise<AuditLine | null> {
      const { lines } = await storage.audit.list({ action: 'switch_set', limit: 100, scan_limit: 101 })
      return lines.find(({ detail }) => detail?.split(' ')[0] === name) ?? null
    },
  }
}

export type Switches = ReturnType<typeof createSwitches>
