import type { Ingest } from '../../ingest/ingest.ts'
import type { Waiting } from '../../domain/reading/waiting/waiting.ts'
import type { Delivery } from '../../domain/webhooks/delivery.ts'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import type { guard } from '../route.ts'

export interface PlatformDeps {
  ingest: Ingest
  usage: Pick<UsageRecorder, 'ingested'>
  waiting: Pick<Waiting, 'moved' | 'accessChanged'>
  delivery: Pick<Delivery, 'moved' | 'wake'>
  requireScope: ReturnType<typeof guard>
}
