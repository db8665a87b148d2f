import type { Accounts } from '../domain/accounts/accounts.ts'
import type { Apps } from '../domain/apps/apps.ts'
import type { ConnectedApps } from '../domain/apps/connected-apps.ts'
import type { Consent } from '../domain/apps/consent.ts'
import type { Throttle } from '../domain/accounts/throttle.ts'
import type { createIngestFigures } from '../domain/usage/ingest.ts'
import type { LocalReads } from '../domain/usage/local-days.ts'
import type { ReadFigures } from '../domain/usage/reads.ts'
import type { createRequestFigures } from '../domain/usage/requests.ts'
import type { Clock } from '../lib/clock.ts'
import type { ProviderSource } from '../oauth/provider-source.ts'
import type { Storage } from '../storage/port/index.ts'
import type { CookieSigner } from './sign-in/cookie-signer.ts'
import type { SignedIn } from './sign-in/signed-in.ts'

/** What the pages work on; built in server/services.ts. */
export interface ConsoleDeps {
  storage: Storage
  clock: Clock
  issuer: string
  /** The public address is https, so cookies are sent over nothing else. */
  secure: boolean
  accounts: Accounts
  apps: Apps
  signedIn: SignedIn
  signInThrottle: Throttle
  signUpThrottle: Throttle
  consents: Consent
  connectedApps: ConnectedApps
  /** What apps read, how their requests went, what the platform sent. */
  figures: {
    reads: ReadFigures
    localReads: LocalReads
    requests: ReturnType<typeof createRequestFigures>
    ingest: ReturnType<typeof createIngestFigures>
  }
  providers: ProviderSource
  cookies: CookieSigner
}
