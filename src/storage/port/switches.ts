import type { AuditEntry } from './audit.ts'

/** What the operator turns on and off while the server runs, by name; off until it is turned on. */
export interface Switches {
  isOn(name: string): Promise<boolean>
  set(name: string, on: boolean, audit?: AuditEntry): Promise<void>
}
