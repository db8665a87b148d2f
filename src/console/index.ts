import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyFormbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { accountPages } from './account/apps.ts'
import { assets } from './assets/assets.ts'
import type { ConsoleDeps } from './deps.ts'
import { consent } from './consent/consent.ts'
import { developerApps } from './developer/apps.ts'
import { login, loginAddress } from './sign-in/login.ts'
import { operator } from './operator/index.ts'
import { securityHeaders } from './security-headers.ts'
import { signUp } from './sign-in/sign-up.ts'
import { cookieOptions, csrfCookie } from './sign-in/signed-in.ts'

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
