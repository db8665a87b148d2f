import type { Intake } from '../../ingest/ingest.ts'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import type { App, guard } from '../route.ts'
import { recordsRoute } from './records.ts'

export interface PlatformDeps {
  intake: Intake
  usage: Pick<UsageRecorder, 'ingested'>
  requireScope: ReturnType<typeof guard>
}

/** What the platform itself pushes, in the envelope; for tokens with `platform.write` only. */
export function platformApi(app: App, deps: PlatformDeps): void {
  recordsRoute(app, deps)
}
