import type { FastifyReply } from 'fastify'
import { InputError } from '../../domain/input-error.ts'
import type { Account } from '../../storage/port/index.ts'
import { form, text } from '../fields.ts'
import { messagePage } from '../layout.ts'
import type { PagePlugin } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { newPasswordPage } from './password-link.view.ts'
import { fromOf } from './signed-in.ts'

/** The page that a password link opens. */
export const passwordLinkPages: PagePlugin = async (scope, { passwordLinks }) => {
  const path = '/password/:token'

  const gone = (reply: FastifyReply): FastifyReply =>
    sendHtml(
      reply,
      messagePage('This link no longer works', 'It was used, it has expired, or a newer password was set.', {
        action: { href: '/login/forgot', label: 'Get a new link' },
      }),
      410,
    )

  const show = (reply: FastifyReply, token: string, { email }: Account, problem?: InputError) =>
    sendHtml(
      reply,
      newPasswordPage({ csrf: reply.generateCsrf(), token, email, problem }),
      problem ? 422 : 200,
    )

  scope.get<{ Params: { token: string } }>(path, async ({ params: { token } }, reply) => {
    const account = await passwordLinks.find(token)
    return account ? show(reply, token, account) : gone(reply)
  })

  const schema = { body: form({ password: text }) }
  scope.post<{ Params: { token: string }; Body: { password: string } }>(
    path,
    { schema },
    async (request, reply) => {
      const { token } = request.params
      const account = await passwordLinks.find(token)
      if (!account) return gone(reply)
      try {
        if (!(await passwordLinks.use(token, request.body.password, fromOf(request)))) return gone(reply)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        return show(reply, token, account, error)
      }
      return sendHtml(
        reply,
        messagePage('Your password is set', `Sign in as ${account.email} with it.`, {
          action: { href: '/login', label: 'Sign in' },
        }),
      )
    },
  )
}
