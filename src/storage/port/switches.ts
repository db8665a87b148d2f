import type { AuditEntry } from './audit.ts'

/** Named settings that the operator turns on and off while the server runs; off at first. */
export interface Switches {
  isOn(name: string): Promise<boolean>
  set(name: string, on: boolean, audit?: AuditEntry): Promise<void>
}
