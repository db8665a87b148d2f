import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { profileView } from './profile.view.ts'

export function profilePage(scope: PageScope, { sessions, signedIn, twoFactor }: ConsoleDeps): void {
  const schema = { querystring: fields({ done: text }) }

  scope.get('/profile', { schema }, async (request, reply) => {
    const { account, viewer, query } = request
    const [list, second, isRequired] = await Promise.all([
      sessions.list(account, signedIn.valueOf(request)),
      twoFactor.find(account),
      twoFactor.isRequired(account),
    ])
    return sendHtml(
      reply,
      profileView({ viewer, account, sessions: list, second, isRequired, done: query.done }),
    )
  })
}
