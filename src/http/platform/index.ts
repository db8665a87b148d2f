import type { App } from '../route.ts'
import { recordsRoute } from './records.ts'
import type { PlatformDeps } from './deps.ts'

/** The endpoints of the POS platform, for tokens with `platform.write` only; answers use the envelope. */
export function platformApi(app: App, deps: PlatformDeps): void {
  recordsRoute(app, deps)
}
