import type { FastifyInstance } from 'fastify'
import { createAsOperator } from '../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../deps.ts'
import { operatorAccount } from './account.ts'
import { operatorAccounts } from './accounts.ts'
import { operatorApp } from './app.ts'
import { operatorApps } from './apps.ts'
import { operatorAudit } from './audit.ts'
import { operatorOverview } from './overview.ts'
import { operatorSettings } from './settings.ts'
import { operatorStores } from './stores.ts'

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
