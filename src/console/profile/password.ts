import { byAccount } from '../../domain/audit/audit.ts'
import { InputError } from '../../domain/input-error.ts'
import type { ConsoleDeps } from '../deps.ts'
import { form, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { changePasswordPage } from './password.view.ts'

/** A new password ends all sessions; this browser gets a new one. */
export function passwordPage(scope: PageScope, deps: ConsoleDeps): void {
  const { storage, accounts, signedIn, signInThrottle } = deps
  const path = '/profile/password'

  scope.get(path, async ({ viewer }, reply) => sendHtml(reply, changePasswordPage({ viewer })))

  const schema = { body: form({ current: text, password: text }) }
  scope.post(path, { schema }, async (request, reply) => {
    const { account, viewer, body } = request
    const attempt = { name: account.email, address: request.ip }
    const seconds = await signInThrottle.take(attempt)
    if (seconds > 0) {
      reply.header('retry-after', String(seconds))
      const refusal = `Too many attempts. Wait ${seconds} seconds, then try again.`
      return sendHtml(reply, changePasswordPage({ viewer, refusal }), 429)
    }
    try {
      const by = byAccount(account, fromOf(request))
      await accounts.changePassword(account, body.current, body.password, by)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, changePasswordPage({ viewer, problem: error }), 422)
    }
    await signInThrottle.forgive(attempt)
    const changed = await storage.accounts.find(account.id)
    if (changed) await signedIn.start(request, reply, changed)
    return reply.redirect('/profile?done=password', 303)
  })
}
