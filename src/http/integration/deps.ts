import type { Clock } from '../../lib/clock.ts'
import type { Waiting } from '../../domain/reading/waiting/waiting.ts'
import type { Storage } from '../../storage/port/index.ts'
import type { guard } from '../route.ts'

export interface IntegrationDeps {
  storage: Storage
  clock: Clock
  /** The public address, for links. */
  issuer: string
  waiting: Waiting
  requireScope: ReturnType<typeof guard>
}
