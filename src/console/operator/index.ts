import type { PagePlugin } from '../page-scope.ts'
import { requireRole } from '../sign-in/require-role.ts'
import { accountPages } from './accounts/account.ts'
import { operatorAccounts } from './accounts/accounts.ts'
import { newAccountPage } from './accounts/new-account.ts'
import { appPages } from './apps/app.ts'
import { operatorApps } from './apps/apps.ts'
import { operatorAudit } from './audit/audit.ts'
import { operatorOverview } from './overview/overview.ts'
import { operatorBrand } from './settings/brand.ts'
import { operatorSettings } from './settings/settings.ts'
import { storeDataPages } from '../store-data/index.ts'
import { operatorStores } from './stores/stores.ts'
import { operatorWebhooks } from './webhooks/webhooks.ts'

/** The operator's pages: usage, accounts, apps, stores, webhooks and the audit log; and what an operator may change. */
export const operatorPages: PagePlugin = async (scope, deps) => {
  scope.addHook('preHandler', requireRole('operator', deps))
  operatorOverview(scope, deps)
  operatorAccounts(scope, deps)
  newAccountPage(scope, deps)
  operatorApps(scope, deps)
  operatorStores(scope, deps)
  operatorWebhooks(scope, deps)
  operatorAudit(scope, deps)
  operatorSettings(scope, deps)
  operatorBrand(scope, deps)
  await scope.register(accountPages, deps)
  await scope.register(appPages, deps)
  await scope.register(storeDataPages({ stores: '/operator/stores' }), deps)
}
