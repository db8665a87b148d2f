import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import type { Account } from '../../../storage/port/index.ts'
import { type AsOperator, sendMissing } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { accountPage } from './account.view.ts'
import { disableAccountPage, enableAccountPage, refusedPage } from './confirm.view.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { viewerOf } from '../../viewer.ts'

const latest = 10

/** One account: what belongs to it, what it did, and the switch between enabled and disabled. */
export function operatorAccount(app: FastifyInstance, deps: ConsoleDeps & { asOperator: AsOperator }): void {
  const { storage, accounts, asOperator } = deps

  /** The account that the address names, and the operator who looks at it. */
  const withAccount = (
    request: FastifyRequest,
    reply: FastifyReply,
    then: (found: Account, operator: Account) => Promise<unknown>,
  ): Promise<unknown> =>
    asOperator(request, reply, async operator => {
      const found = await accounts.find((request.params as { account_id: string }).account_id)
      if (found) return then(found, operator)
      return sendMissing(reply, operator, 'account', { href: '/operator/accounts', label: 'Accounts' })
    })

  const ownApps = (account: Account) =>
    account.role === 'developer' ? storage.apps.ofOwner(account.id) : Promise.resolve([])

  app.get('/operator/accounts/:account_id', async (request, reply) =>
    withAccount(request, reply, async (found, operator) => {
      const merchant = found.role === 'merchant'
      const [owned, stores, connected, { lines }] = await Promise.all([
        ownApps(found),
        merchant ? storage.stores.ofMerchant(found.email) : [],
        merchant ? storage.authorizations.ofAccount(found.id) : [],
        storage.audit.list({ account_id: found.id, limit: latest, look: latest + 1 }),
      ])
      const isSelf = found.id === operator.id
      const view = {
        viewer: viewerOf(reply, operator),
        account: found,
        isSelf,
        owned,
        stores,
        connected,
        lines,
      }
      return sendHtml(reply, accountPage(view))
    }),
  )

  app.get('/operator/accounts/:account_id/disable', async (request, reply) =>
    withAccount(request, reply, async (found, operator) => {
      const [owned, connected] = await Promise.all([
        ownApps(found),
        storage.authorizations.ofAccount(found.id),
      ])
      const live = owned.filter(({ disabled_at }) => disabled_at === null)
      const view = { viewer: viewerOf(reply, operator), account: found, apps: live, connected }
      return sendHtml(reply, disableAccountPage(view))
    }),
  )

  app.get('/operator/accounts/:account_id/enable', async (request, reply) =>
    withAccount(request, reply, async (found, operator) =>
      sendHtml(reply, enableAccountPage({ viewer: viewerOf(reply, operator), account: found })),
    ),
  )

  app.post(
    '/operator/accounts/:account_id/disable',
    { preHandler: app.csrfProtection },
    async (request, reply) =>
      withAccount(request, reply, async (found, operator) => {
        const withApps = (request.body as { apps?: unknown } | undefined)?.apps === 'yes'
        try {
          await accounts.setDisabled(found, true, byAccount(operator, fromOf(request)), { apps: withApps })
        } catch (error) {
          if (!(error instanceof InputError)) throw error
          const view = { viewer: viewerOf(reply, operator), account: found, problem: error.message }
          return sendHtml(reply, refusedPage(view), 409)
        }
        return reply.redirect(`/operator/accounts/${found.id}`, 303)
      }),
  )

  app.post(
    '/operator/accounts/:account_id/enable',
    { preHandler: app.csrfProtection },
    async (request, reply) =>
      withAccount(request, reply, async (found, operator) => {
        await accounts.setDisabled(found, false, byAccount(operator, fromOf(request)))
        return reply.redirect(`/operator/accounts/${found.id}`, 303)
      }),
  )
}
