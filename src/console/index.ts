import fastifyCookie from '@fastify/cookie'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyFormbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { merchantPages } from './account/index.ts'
import { assets } from './assets/assets.ts'
import { brandFiles } from './brand/brand.ts'
import { consentPages } from './consent/consent.ts'
import type { ConsoleDeps } from './deps.ts'
import { developerPages } from './developer/index.ts'
import { readFields } from './fields.ts'
import { largestLogo } from '../domain/brand/logos.ts'
import { guidePages } from './guides/guides.ts'
import { readMultipart } from './multipart.ts'
import { operatorPages } from './operator/index.ts'
import { profilePages } from './profile/index.ts'
import { securityHeaders } from './security-headers.ts'
import { loginPages } from './sign-in/login.ts'
import { forgottenPages } from './sign-in/forgotten.ts'
import { passwordLinkPages } from './sign-in/password-link.ts'
import { signUpPages } from './sign-in/sign-up.ts'
import { twoFactorPages } from './sign-in/two-factor.ts'
import { cookieOptions, csrfCookie } from './sign-in/signed-in.ts'
import { loginAddress } from './sign-in/next.ts'

/** The server reads a form before it knows who sent it. */
const smallForm = 16 * 1024

/** Only people who are signed in may send these. */
const uploads = ['/developer/apps/:app_id/logo', '/operator/settings/brand']

const largeForms: Record<string, number> = {
  // A few thousand ticked stores fit.
  '/consent/:uid': 256 * 1024,
  '/account/apps/:app_id/stores': 256 * 1024,
  // A file that is somewhat too large gets an answer that says so.
  ...Object.fromEntries(uploads.map(route => [route, 4 * largestLogo])),
}

/** The pages for people: rendered on the server, working without script. */
export async function consolePages(app: FastifyInstance, deps: ConsoleDeps): Promise<void> {
  const { secure } = deps
  app.setValidatorCompiler(readFields)
  app.decorateRequest('account')
  app.decorateRequest('viewer')
  app.addHook('onRequest', () => deps.cookies.refresh())
  await app.register(fastifyCookie, { secret: deps.cookies })
  await app.register(fastifyFormbody)
  readMultipart(app, route => uploads.includes(route))
  app.addHook('onRoute', route => {
    route.bodyLimit = largeForms[route.url] ?? smallForm
  })
  await app.register(fastifyCsrf, {
    cookieKey: csrfCookie(secure),
    cookieOpts: { ...cookieOptions(secure), signed: true },
    // From the form alone: the library also reads headers, but a single-use form is known by its field.
    getToken: ({ body }) => (body as Record<string, string | undefined> | null)?.['_csrf'],
    // The request log has a line for it already.
    logLevel: 'debug',
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders())
  })
  app.addHook('onRequest', async (request, reply) => {
    const large = request.method === 'POST' && (request.routeOptions.url ?? '') in largeForms
    if (!large || (await deps.signedIn.account(request))) return
    return reply.redirect(loginAddress(request.url), 303)
  })
  // Comes before the hooks of the pages, so that a forged form is rejected without a look at the account.
  app.addHook('preHandler', (request, reply, done) =>
    request.method === 'POST' ? app.csrfProtection(request, reply, done) : done(),
  )
  await app.register(assets)
  await app.register(brandFiles, deps)
  // After the files, which need none.
  app.addHook('onRequest', async () => void (await deps.brand.refresh()))
  await app.register(guidePages, deps)
  await app.register(loginPages, deps)
  await app.register(signUpPages, deps)
  await app.register(twoFactorPages, deps)
  await app.register(passwordLinkPages, deps)
  await app.register(forgottenPages, deps)
  await app.register(profilePages, deps)
  await app.register(consentPages, deps)
  await app.register(merchantPages, deps)
  await app.register(developerPages, deps)
  await app.register(operatorPages, deps)
}
