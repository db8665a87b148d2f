import type { Ingest } from '../../ingest/ingest.ts'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import type { guard } from '../route.ts'

export interface PlatformDeps {
  ingest: Ingest
  usage: Pick<UsageRecorder, 'ingested'>
  requireScope: ReturnType<typeof guard>
}
