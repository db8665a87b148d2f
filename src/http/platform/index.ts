import type { App } from '../route.ts'
import { recordsRoute } from './records.ts'
import type { PlatformDeps } from './deps.ts'

/** What the platform itself pushes, in the envelope; for tokens with `platform.write` only. */
export function platformApi(app: App, deps: PlatformDeps): void {
  recordsRoute(app, deps)
}
