import type { FastifyInstance } from 'fastify'
import { createAuditLog } from '../../../domain/audit/log.ts'
import { eventsPath } from './frame.view.ts'
import { eventsPage } from './events.view.ts'
import type { AsMerchant } from '../../sign-in/as-merchant.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sendHtml } from '../../send-html.ts'

const pageSize = 25

/** What the audit log tells of the merchant's own account: sign-ins, consents, changes, revocations. */
export function accountEvents(
  app: FastifyInstance,
  { storage }: ConsoleDeps,
  { asMerchant }: AsMerchant,
): void {
  const log = createAuditLog({ storage })

  app.get(eventsPath, async (request, reply) =>
    asMerchant(request, reply, async ({ account, viewer }) => {
      const { before: wanted } = request.query as { before?: unknown }
      const before = typeof wanted === 'string' && /^\w{1,64}$/.test(wanted) ? wanted : undefined
      const [stores, page] = await Promise.all([
        storage.stores.ofMerchant(account.email),
        log.page({ account_id: account.id }, { before, limit: pageSize }),
      ])
      return sendHtml(reply, eventsPage({ viewer, account, stores, before, page }))
    }),
  )
}
