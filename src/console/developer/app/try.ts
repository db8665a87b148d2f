import type { FastifyInstance } from 'fastify'
import { referenceHeaders } from '../../../http/ops/reference.ts'
import type { AsDeveloper } from '../../sign-in/as-developer.ts'
import { tryPage } from './try.view.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'

/** The API reference with one's app chosen. It knows the app's client_id; a secret is typed in, and kept nowhere. */
export function developerTry(app: FastifyInstance, { issuer, asOwner }: ConsoleDeps & AsDeveloper): void {
  app.get('/developer/apps/:app_id/try', async (request, reply) =>
    asOwner(request, reply, async mine =>
      sendHtml(reply.headers(referenceHeaders()), tryPage({ app: mine, issuer })),
    ),
  )
}
