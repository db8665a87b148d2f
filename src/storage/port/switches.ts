import type { AuditEntry } from './audit.ts'

/** Named settings that the operator turns on and off while the server runs. */
export interface Switches {
  /** `unset`: the answer for a setting that nobody has set yet; false when left out. */
  isOn(name: string, unset?: boolean): Promise<boolean>
  set(name: string, on: boolean, audit?: AuditEntry): Promise<void>
}
