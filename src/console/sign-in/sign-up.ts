import type { FastifyInstance, FastifyReply } from 'fastify'
import { InputError } from '../../domain/input-error.ts'
import type { ConsoleDeps } from '../deps.ts'
import { messagePage } from '../layout.ts'
import { loginAddress, safeNext } from './login.ts'
import { sections } from '../parts/navigation.ts'
import { sendHtml } from '../send-html.ts'
import { signUpPage } from './sign-up.view.ts'
import { fromOf } from './signed-in.ts'

interface Shown {
  next: string | null
  email?: string
  problem?: InputError
  refusal?: string
}

/** Developers make their own account, while the operator lets them. */
export function signUp(
  app: FastifyInstance,
  { storage, accounts, signedIn, signUpThrottle, issuer }: ConsoleDeps,
): void {
  const home = sections.developer[0].href

  /** Asked at every request: while it is off there is no such page. */
  async function whileOpen(reply: FastifyReply, then: () => Promise<unknown>): Promise<unknown> {
    if (await storage.switches.isOn('sign_up')) return then()
    const advice = 'The operator of this server makes the accounts: ask them for one.'
    const action = { href: '/login', label: 'Sign in' }
    return sendHtml(reply, messagePage('Sign-up is closed', advice, { action }), 404)
  }

  const show = (reply: FastifyReply, shown: Shown, status: number): FastifyReply =>
    sendHtml(
      reply,
      signUpPage({ email: '', ...shown, sign_in: loginAddress(shown.next), csrf: reply.generateCsrf() }),
      status,
    )

  app.get('/signup', async (request, reply) =>
    whileOpen(reply, async () => {
      const next = safeNext((request.query as { next?: unknown }).next, issuer)
      const account = await signedIn.account(request)
      if (account) return reply.redirect(next ?? sections[account.role][0].href, 303)
      return show(reply, { next }, 200)
    }),
  )

  app.post('/signup', { preHandler: app.csrfProtection }, async (request, reply) =>
    whileOpen(reply, async () => {
      const { email, password, next: wanted } = textFields(request.body)
      const next = safeNext(wanted, issuer)
      // Each costs a hash of a password and tells whether an email has an account, so none is given back.
      const seconds = await signUpThrottle.take({ name: email.trim().toLowerCase(), address: request.ip })
      if (seconds > 0) {
        reply.header('retry-after', String(seconds))
        const wait = `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
        return show(reply, { next, email, refusal: `Too many attempts. Wait ${wait}, then try again.` }, 429)
      }
      try {
        const account = await accounts.signUp(email, password, fromOf(request))
        await signedIn.start(request, reply, account)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        return show(reply, { next, email, problem: error }, 422)
      }
      return reply.redirect(next ?? home, 303)
    }),
  )
}

function textFields(body: unknown): Record<'email' | 'password' | 'next', string> {
  const form = (body ?? {}) as Record<string, unknown>
  const text = (name: string): string => (typeof form[name] === 'string' ? form[name] : '')
  return { email: text('email'), password: text('password'), next: text('next') }
}
