import type { FastifyInstance } from 'fastify'
import { createAsOperator } from './as-operator.ts'
import type { ConsoleDeps } from './index.ts'
import { operatorAccount } from './operator-account.ts'
import { operatorAccounts } from './operator-accounts.ts'
import { operatorApp } from './operator-app.ts'
import { operatorApps } from './operator-apps.ts'
import { operatorAudit } from './operator-audit.ts'
import { operatorOverview } from './operator-overview.ts'
import { operatorSettings } from './operator-settings.ts'
import { operatorStores } from './operator-stores.ts'

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
