import type { FastifyBaseLogger } from 'fastify'
import type { ServerConfig } from '../config.ts'
import { createCookieSigner } from '../console/sign-in/cookie-signer.ts'
import { renderAuthorizationError } from '../console/error-page.ts'
import type { ConsoleDeps } from '../console/deps.ts'
import { createSecondStep } from '../console/sign-in/second-step.ts'
import { createSignedIn } from '../console/sign-in/signed-in.ts'
import { createAccounts } from '../domain/accounts/accounts.ts'
import { createMail } from '../domain/accounts/mail.ts'
import { createPasswordLinks } from '../domain/accounts/password-links.ts'
import { createSingleUseForms } from '../domain/accounts/single-use-forms.ts'
import { createSessions } from '../domain/accounts/sessions.ts'
import { createTwoFactor } from '../domain/accounts/two-factor.ts'
import { createThrottle } from '../domain/accounts/throttle.ts'
import { createApps } from '../domain/apps/apps.ts'
import { createConnectedApps } from '../domain/apps/connected-apps.ts'
import { createConsent } from '../domain/apps/consent.ts'
import { createBrand } from '../domain/brand/brand.ts'
import { createLogos } from '../domain/brand/logos.ts'
import { createAuditLog } from '../domain/audit/log.ts'
import { createKeys } from '../domain/keys.ts'
import { readOverview } from '../domain/overview.ts'
import { isStorageFault } from '../domain/storage-fault.ts'
import { createStoreItems } from '../domain/store-data/items.ts'
import { createStoreOrders } from '../domain/store-data/orders.ts'
import { createStoreSales } from '../domain/store-data/sales.ts'
import { createSwitches } from '../domain/switches.ts'
import { createIngestFigures } from '../domain/usage/ingest.ts'
import { createLocalReads } from '../domain/usage/local-days.ts'
import { createReadFigures } from '../domain/usage/reads.ts'
import { createWaiting } from '../domain/reading/waiting/waiting.ts'
import { createUsageRecorder } from '../domain/usage/recorder.ts'
import { createRequestFigures } from '../domain/usage/requests.ts'
import type { OutageLog } from '../http/observe/outage-log.ts'
import { createAddressRules } from '../domain/webhooks/address.ts'
import type { DeliveryObserver } from '../domain/webhooks/attempt.ts'
import { createDelivery } from '../domain/webhooks/delivery.ts'
import { createWebhookEndpoints } from '../domain/webhooks/endpoints.ts'
import { createSend } from '../domain/webhooks/send.ts'
import { guard } from '../http/route.ts'
import { createIngest, type Ingest } from '../ingest/ingest.ts'
import { createRecordWriter } from '../ingest/record-writer.ts'
import type { Clock } from '../lib/clock.ts'
import { createBearer } from '../oauth/bearer.ts'
import { createProviderSource } from '../oauth/provider-source.ts'
import { createIssueClientToken } from '../oauth/client-credentials.ts'
import { createAccessTokenVerifier } from '../oauth/verified-token.ts'
import { createDeveloperStores } from '../sandbox/developer-store.ts'
import { createSignUpLimit } from '../sandbox/sign-up-limit.ts'
import type { Storage } from '../storage/port/index.ts'

export interface ServiceDeps {
  storage: Storage
  clock: Clock
  config: ServerConfig
  /** Public address and issuer. */
  issuer: string
  log: FastifyBaseLogger
  outages: OutageLog
  ingest: Ingest | undefined
  observe: DeliveryObserver
}

/** Builds every service once, in the order of their dependencies. */
export async function createServices(deps: ServiceDeps) {
  const { storage, clock, config, issuer, log, outages } = deps
  const secure = issuer.startsWith('https:')
  const keys = createKeys({ storage, clock })
  const bearer = createBearer({ keys, clock, issuer })
  const apps = createApps({ storage, clock })
  const accounts = createAccounts({ storage, clock })
  const sessions = createSessions({ storage, clock })
  const switches = createSwitches({ storage, clock, sandbox: config.sandbox })
  const logos = createLogos({ storage, clock })
  const brand = createBrand({ storage, clock })
  await brand.refresh()
  const providers = createProviderSource({
    storage,
    clock,
    issuer,
    secure,
    keys,
    verifySecret: apps.verifySecret,
    renderError: async (ctx, error) => renderAuthorizationError(ctx, error, await brand.refresh()),
    onServerError: (error, request_id) =>
      isStorageFault(error)
        ? outages.failed(error, request_id)
        : log.error({ err: error, request_id }, 'authorization server failed'),
  })
  const usage = createUsageRecorder({
    storage,
    clock,
    notice: (text, error) => (error ? log.warn({ err: error }, text) : log.info(text)),
  })
  const reads = createReadFigures({ storage, clock, recorder: usage })
  const requests = createRequestFigures({ storage, clock, recorder: usage })
  const ingestFigures = createIngestFigures({ storage, clock, recorder: usage })
  const waiting = createWaiting({
    storage,
    limit: config.max_waiting,
    notice: error => outages.failed(error),
  })
  const writer = createRecordWriter({ storage, clock })
  const rules = createAddressRules(config.webhook_allow)
  const delivery = createDelivery({
    storage,
    clock,
    send: createSend(rules),
    notice: error => outages.failed(error),
    observe: deps.observe,
  })
  return {
    usage,
    delivery,
    providers,
    issueClientToken: createIssueClientToken({ providers, issuer, verifySecret: apps.verifySecret }),
    verifyAccessToken: createAccessTokenVerifier({ bearer, storage, clock }),
    requireScope: guard({ bearer, storage }),
    waiting,
    ingest: deps.ingest ?? createIngest(writer),
    pages: {
      storage,
      clock,
      issuer,
      secure,
      accounts,
      sessions,
      passwordLinks: createPasswordLinks({
        storage,
        clock,
        issuer,
        accounts,
        mail: createMail(config),
        brand,
        logos,
        notice: reason => log.warn({ reason }, 'a password link was not mailed'),
      }),
      twoFactor: createTwoFactor({ storage, clock, switches, brand }),
      secondStep: createSecondStep({ storage, clock, secure }),
      apps,
      signedIn: createSignedIn(sessions, secure),
      signInThrottle: createThrottle('sign-in', { storage, clock }),
      signUpThrottle: createThrottle('sign-up', { storage, clock }),
      singleUseForms: createSingleUseForms({ storage, clock }),
      consents: createConsent({ storage, clock }),
      connectedApps: createConnectedApps({ storage, clock }),
      auditLog: createAuditLog({ storage }),
      switches,
      brand,
      logos,
      sandbox: config.sandbox
        ? {
            stores: createDeveloperStores({ storage, clock, writer, apps }),
            signUps: createSignUpLimit({ storage, clock, developers: config.sandbox_developers }),
          }
        : null,
      overview: period =>
        readOverview({ storage, figures: { requests, ingest: ingestFigures }, waiting }, period),
      figures: {
        reads,
        localReads: createLocalReads({ storage, clock, recorder: usage }),
        requests,
      },
      webhooks: createWebhookEndpoints({ storage, clock, rules }),
      data: {
        orders: createStoreOrders({ storage, clock }),
        items: createStoreItems({ storage }),
        sales: createStoreSales({ storage }),
      },
      providers,
      cookies: await createCookieSigner({ keys, clock }),
    } satisfies ConsoleDeps,
  }
}
