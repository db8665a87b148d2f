import type { FastifyReply } from 'fastify'
import { form, text } from '../fields.ts'
import { messagePage } from '../layout.ts'
import type { PagePlugin } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { forgottenPage } from './forgotten.view.ts'
import { fromOf } from './signed-in.ts'
import { tooManyAttempts } from './too-many-attempts.ts'

/** Mails a password link to a person who has forgotten the password. Without a mail server an operator helps. */
export const forgottenPages: PagePlugin = async (scope, { passwordLinks, signUpThrottle }) => {
  const action = { href: '/login', label: 'Sign in' }

  scope.addHook('preHandler', async (_request, reply) => {
    if (passwordLinks.canMail) return
    const advice = 'Ask the operator of this server for a link to set a new one.'
    return sendHtml(reply, messagePage('Forgot your password?', advice, { action }))
  })

  const show = (reply: FastifyReply, refusal?: string): FastifyReply =>
    sendHtml(reply, forgottenPage({ csrf: reply.generateCsrf(), refusal }), refusal === undefined ? 200 : 429)

  scope.get('/login/forgot', async (_request, reply) => show(reply))

  scope.post('/login/forgot', { schema: { body: form({ email: text }) } }, async (request, reply) => {
    const { email } = request.body
    // Every attempt costs a mail, so each one counts, as at sign-up.
    const seconds = await signUpThrottle.count({ name: email.trim().toLowerCase(), address: request.ip })
    if (seconds > 0) {
      return show(reply, tooManyAttempts(reply, seconds))
    }
    passwordLinks.forgotten(email, fromOf(request))
    const advice = `If an account has this email, a link to set a new password is on its way. It works for two days. Check your spam folder too.`
    return sendHtml(reply, messagePage('Check your email', advice, { action }))
  })
}
