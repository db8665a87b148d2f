import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyFormbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
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
import { accountPages } from './account/apps.ts'
import { assets } from './assets/assets.ts'
import { consent } from './consent/consent.ts'
import type { CookieSigner } from './sign-in/cookie-signer.ts'
import { developerApps } from './developer/apps.ts'
import { login, loginAddress } from './sign-in/login.ts'
import { operator } from './operator/index.ts'
import { securityHeaders } from './security-headers.ts'
import { signUp } from './sign-in/sign-up.ts'
import { cookieOptions, csrfCookie, type SignedIn } from './sign-in/signed-in.ts'

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

/** Anybody may send a form, and it is read before anything is known of them. */
const smallForm = 16 * 1024

/** With a few thousand stores ticked; for whoever is signed in. */
const largeForm = 256 * 1024
const largeForms = ['/consent/:uid', '/account/apps/:app_id/stores']

/** The pages for people: rendered here, working without script. */
export async function consolePages(app: FastifyInstance, deps: ConsoleDeps): Promise<void> {
  const { secure } = deps
  app.addHook('onRequest', () => deps.cookies.refresh())
  await app.register(fastifyCookie, { secret: deps.cookies })
  await app.register(fastifyFormbody)
  app.addHook('onRoute', route => {
    route.bodyLimit = largeForms.includes(route.url) ? largeForm : smallForm
  })
  await app.register(fastifyCsrf, {
    cookieKey: csrfCookie(secure),
    cookieOpts: { ...cookieOptions(secure), signed: true },
    // The request's own line says as much.
    logLevel: 'debug',
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders())
  })
  app.addHook('onRequest', async (request, reply) => {
    const large = request.method === 'POST' && largeForms.includes(request.routeOptions.url ?? '')
    if (!large || (await deps.signedIn.account(request))) return
    return reply.redirect(loginAddress(request.url), 303)
  })
  assets(app)
  login(app, deps)
  signUp(app, deps)
  consent(app, deps)
  accountPages(app, deps)
  developerApps(app, deps)
  operator(app, deps)
}
