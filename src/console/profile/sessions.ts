import { byAccount } from '../../domain/audit/audit.ts'
import type { ConsoleDeps } from '../deps.ts'
import { messagePage } from '../layout.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { fromOf } from '../sign-in/signed-in.ts'

export function sessionPages(scope: PageScope, { sessions, signedIn }: ConsoleDeps): void {
  scope.post('/profile/sessions/end-others', async (request, reply) => {
    const { account } = request
    await sessions.endOthers(account, signedIn.valueOf(request), byAccount(account, fromOf(request)))
    return reply.redirect('/profile?done=signed-out', 303)
  })

  scope.post<{ Params: { session_id: string } }>(
    '/profile/sessions/:session_id/end',
    async (request, reply) => {
      const { account, viewer, params } = request
      const ended = await sessions.endById(account, params.session_id, byAccount(account, fromOf(request)))
      if (ended) return reply.redirect('/profile?done=ended', 303)
      const action = { href: '/profile', label: 'Back to your account' }
      const advice = 'It may already have ended.'
      return sendHtml(reply, messagePage('Session not found', advice, { viewer, action }), 404)
    },
  )
}
