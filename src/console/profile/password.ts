import { byAccount } from '../../domain/audit/audit.ts'
import { InputError } from '../../domain/input-error.ts'
import type { ConsoleDeps } from '../deps.ts'
import { form, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { tooManyAttempts } from '../sign-in/too-many-attempts.ts'
import { changePasswordPage } from './password.view.ts'

/** A new password ends all sessions; this browser gets a new one. */
export function passwordPage(scope: PageScope, deps: ConsoleDeps): void {
  const { storage, accounts, signedIn, signInThrottle, twoFactor, secondStep } = deps
  const path = '/profile/password'

  scope.get(path, async ({ viewer }, reply) => sendHtml(reply, changePasswordPage({ viewer })))

  const schema = { body: form({ current: text, password: text }) }
  scope.post(path, { schema }, async (request, reply) => {
    const { account, viewer, body } = request
    const attempt = { name: account.email, address: request.ip }
    const seconds = await signInThrottle.count(attempt)
    if (seconds > 0) {
      return sendHtml(reply, changePasswordPage({ viewer, refusal: tooManyAttempts(reply, seconds) }), 429)
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
    // Who has the codes has entered one in this session; who must have them and has not, sets them up now.
    if (changed && (await twoFactor.nextStep(changed)) === '/login/set-up') {
      secondStep.begin(reply, changed)
      return reply.redirect('/login/set-up?next=%2Fprofile', 303)
    }
    if (changed) await signedIn.start(request, reply, changed)
    return reply.redirect('/profile?done=password', 303)
  })
}
