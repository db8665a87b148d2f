import { byAccount } from '../../../domain/audit/audit.ts'
import { InputError } from '../../../domain/input-error.ts'
import type { Account } from '../../../storage/port/index.ts'
import { form, text } from '../../fields.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { sendNotFound } from '../not-found.ts'
import { accountPage } from './account.view.ts'
import { signInHelp } from './sign-in-help.ts'
import { disableAccountPage, enableAccountPage, refusedPage } from './confirm.view.ts'

const latest = 10

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that the address names; `account` is the operator's own. Set on these pages alone. */
    shownAccount: Account
  }
}

/** One account: what belongs to it, its latest entries in the audit log; disable it, enable it. */
export const accountPages: PagePlugin = async (scope, deps) => {
  const { storage, accounts, auditLog, twoFactor } = deps
  scope.decorateRequest('shownAccount')
  scope.addHook<{ Params: { account_id: string } }>('preHandler', async (request, reply) => {
    const found = await storage.accounts.find(request.params.account_id)
    const list = { href: '/operator/accounts', label: 'Accounts' }
    if (!found) return sendNotFound(reply, request.viewer, 'account', list)
    request.shownAccount = found
  })

  const ownApps = (account: Account) =>
    account.role === 'developer' ? storage.apps.ofOwner(account.id) : Promise.resolve([])

  scope.get('/operator/accounts/:account_id', async (request, reply) => {
    const { viewer, shownAccount: account } = request
    const isSelf = account.id === request.account.id
    const isMerchant = account.role === 'merchant'
    const [owned, stores, connected, { lines }, second] = await Promise.all([
      ownApps(account),
      isMerchant ? storage.stores.ofMerchant(account.email) : [],
      isMerchant ? storage.authorizations.ofAccount(account.id) : [],
      auditLog.page({ account_id: account.id }, { limit: latest }),
      twoFactor.find(account),
    ])
    return sendHtml(reply, accountPage({ viewer, account, isSelf, owned, stores, connected, lines, second }))
  })

  const disablePath = '/operator/accounts/:account_id/disable'
  scope.get(disablePath, async ({ viewer, account: self, shownAccount: account }, reply) => {
    if (account.id === self.id) {
      return sendHtml(
        reply,
        refusedPage({ viewer, account, problem: 'you cannot disable your own account' }),
        409,
      )
    }
    const [owned, connected] = await Promise.all([
      ownApps(account),
      storage.authorizations.ofAccount(account.id),
    ])
    const apps = owned.filter(({ disabled_at }) => disabled_at === null)
    return sendHtml(reply, disableAccountPage({ viewer, account, apps, connected }))
  })

  scope.post(disablePath, { schema: { body: form({ apps: text }) } }, async (request, reply) => {
    const { viewer, shownAccount: account } = request
    const apps = request.body.apps === 'yes'
    try {
      await accounts.setDisabled(account, true, byAccount(request.account, fromOf(request)), { apps })
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return sendHtml(reply, refusedPage({ viewer, account, problem: error.message }), 409)
    }
    return reply.redirect(`/operator/accounts/${account.id}`, 303)
  })

  const enablePath = '/operator/accounts/:account_id/enable'
  scope.get(enablePath, async ({ viewer, shownAccount: account }, reply) =>
    sendHtml(reply, enableAccountPage({ viewer, account })),
  )

  scope.post(enablePath, async (request, reply) => {
    const { shownAccount: account } = request
    await accounts.setDisabled(account, false, byAccount(request.account, fromOf(request)))
    return reply.redirect(`/operator/accounts/${account.id}`, 303)
  })

  signInHelp(scope, deps)
}
