import type { Accounts } from '../domain/accounts/accounts.ts'
import type { PasswordLinks } from '../domain/accounts/password-links.ts'
import type { Sessions } from '../domain/accounts/sessions.ts'
import type { SingleUseForms } from '../domain/accounts/single-use-forms.ts'
import type { Throttle } from '../domain/accounts/throttle.ts'
import type { TwoFactorService } from '../domain/accounts/two-factor.ts'
import type { Apps } from '../domain/apps/apps.ts'
import type { ConnectedApps } from '../domain/apps/connected-apps.ts'
import type { Consent } from '../domain/apps/consent.ts'
import type { BrandService } from '../domain/brand/brand.ts'
import type { Logos } from '../domain/brand/logos.ts'
import type { AuditLog } from '../domain/audit/log.ts'
import type { Overview, OverviewPeriod } from '../domain/overview.ts'
import type { Switches } from '../domain/switches.ts'
import type { StoreItems } from '../domain/store-data/items.ts'
import type { StoreOrders } from '../domain/store-data/orders.ts'
import type { StoreSalesReads } from '../domain/store-data/sales.ts'
import type { LocalReads } from '../domain/usage/local-days.ts'
import type { ReadFigures } from '../domain/usage/reads.ts'
import type { createRequestFigures } from '../domain/usage/requests.ts'
import type { WebhookEndpoints } from '../domain/webhooks/endpoints.ts'
import type { Clock } from '../lib/clock.ts'
import type { ProviderSource } from '../oauth/provider-source.ts'
import type { DeveloperStores } from '../sandbox/developer-store.ts'
import type { SignUpLimit } from '../sandbox/sign-up-limit.ts'
import type { Storage } from '../storage/port/index.ts'
import type { CookieSigner } from './sign-in/cookie-signer.ts'
import type { SecondStep } from './sign-in/second-step.ts'
import type { SignedIn } from './sign-in/signed-in.ts'

/**
 * Pages read rows straight from the storage port, because a function in between would only pass the call on. They
 * write through the domain alone, which checks the rules and makes the audit entry: no method here writes.
 */
interface PageStorage {
  accounts: Pick<Storage['accounts'], 'find' | 'findByEmail'>
  apps: Pick<Storage['apps'], 'find' | 'ofOwner' | 'secrets'>
  authorizations: Pick<Storage['authorizations'], 'ofAccount'>
  browse: Storage['browse']
  changes: Pick<Storage['changes'], 'history'>
  stores: Pick<Storage['stores'], 'ofMerchant'>
  webhooks: Pick<Storage['webhooks'], 'isPaused' | 'summary' | 'oldestPending' | 'sender'>
}

/** Everything that the pages use; built in server/services.ts. */
export interface ConsoleDeps {
  storage: PageStorage
  clock: Clock
  issuer: string
  /** The public address is https: browsers send the cookies over https alone. */
  secure: boolean
  accounts: Accounts
  apps: Apps
  signedIn: SignedIn
  sessions: Sessions
  passwordLinks: PasswordLinks
  twoFactor: TwoFactorService
  secondStep: SecondStep
  signInThrottle: Throttle
  signUpThrottle: Throttle
  singleUseForms: SingleUseForms
  consents: Consent
  connectedApps: ConnectedApps
  auditLog: AuditLog
  switches: Switches
  brand: BrandService
  logos: Logos
  /** On a sandbox server only. */
  sandbox: { stores: DeveloperStores; signUps: SignUpLimit } | null
  overview(period: OverviewPeriod): Promise<Overview>
  /** What apps read, and how their requests went. */
  figures: {
    reads: ReadFigures
    localReads: LocalReads
    requests: ReturnType<typeof createRequestFigures>
  }
  webhooks: WebhookEndpoints
  /** The data of stores, as the API reads it. */
  data: { orders: StoreOrders; items: StoreItems; sales: StoreSalesReads }
  providers: ProviderSource
  cookies: CookieSigner
}
