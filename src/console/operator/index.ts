import type { FastifyInstance } from 'fastify'
import { createAsOperator } from '../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../deps.ts'
import { operatorAccount } from './accounts/account.ts'
import { operatorAccounts } from './accounts/accounts.ts'
import { operatorApp } from './apps/app.ts'
import { operatorApps } from './apps/apps.ts'
import { operatorAudit } from './audit/audit.ts'
import { operatorOverview } from './overview/overview.ts'
import { operatorSettings } from './settings/settings.ts'
import { operatorStores } from './stores/stores.ts'

/** The pages of the operator: what is there, how it goes, who did what; and the few things to switch. */
export function operator(app: FastifyInstance, deps: ConsoleDeps): void {
  const given = { ...deps, asOperator: createAsOperator(deps) }
  operatorOverview(app, given)
  operatorAccounts(app, given)
  operatorAccount(app, given)
  operatorApps(app, given)
  operatorApp(app, given)
  operatorStores(app, given)
  operatorAudit(app, given)
  operatorSettings(app, given)
}
