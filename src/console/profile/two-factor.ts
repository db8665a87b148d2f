import { byAccount } from '../../domain/audit/audit.ts'
import { InputError } from '../../domain/input-error.ts'
import type { ConsoleDeps } from '../deps.ts'
import { form, text } from '../fields.ts'
import { messagePage, type Viewer } from '../layout.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { createPasswordCheck } from '../sign-in/own-password.ts'
import { fromOf } from '../sign-in/signed-in.ts'
import { recoveryCodesPage, setUpPage } from '../sign-in/two-factor.view.ts'
import { turnOffPage } from './two-factor.view.ts'

/** Turning two-factor authentication on and off. Both ask for the password: an open browser alone is not enough. */
export function ownTwoFactorPages(scope: PageScope, deps: ConsoleDeps): void {
  const { twoFactor } = deps
  const setUp = '/profile/two-factor'
  const off = '/profile/two-factor/off'

  const problemWith = createPasswordCheck(deps)

  const viewOf = (viewer: Viewer) => ({
    viewer,
    csrf: viewer.csrf,
    action: setUp,
    next: null,
    passwordField: true,
  })

  scope.get(setUp, async ({ viewer, account }, reply) =>
    sendHtml(reply, setUpPage({ ...viewOf(viewer), ...twoFactor.propose(account) })),
  )

  const schema = { body: form({ current: text, secret: text, code: text }) }
  scope.post(setUp, { schema }, async (request, reply) => {
    const { account, viewer, body } = request
    try {
      const problem = await problemWith(request, body.current)
      if (problem) throw problem
      const by = byAccount(account, fromOf(request))
      const codes = await twoFactor.turnOn(account, body.secret, body.code, by)
      return sendHtml(reply, recoveryCodesPage({ codes, next: '/profile', viewer }))
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const again = twoFactor.proposeAgain(account, body.secret)
      return sendHtml(reply, setUpPage({ ...viewOf(viewer), ...again, problem: error }), 422)
    }
  })

  scope.get(off, async ({ viewer }, reply) => sendHtml(reply, turnOffPage({ viewer })))

  scope.post(off, { schema: { body: form({ current: text }) } }, async (request, reply) => {
    const { account, viewer, body } = request
    if (await twoFactor.isRequired(account)) {
      const advice = 'The operator requires it for your role.'
      const action = { href: '/profile', label: 'Back to your account' }
      return sendHtml(
        reply,
        messagePage('Two-factor authentication cannot be turned off', advice, { viewer, action }),
        409,
      )
    }
    const problem = await problemWith(request, body.current)
    if (problem) return sendHtml(reply, turnOffPage({ viewer, problem }), 422)
    await twoFactor.turnOff(account, byAccount(account, fromOf(request)))
    return reply.redirect('/profile?done=off', 303)
  })
}
