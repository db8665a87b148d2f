import type { Intake } from '../../ingest/ingest.ts'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import type { guard } from '../route.ts'

export interface PlatformDeps {
  intake: Intake
  usage: Pick<UsageRecorder, 'ingested'>
  requireScope: ReturnType<typeof guard>
}
