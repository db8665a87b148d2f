import type { PagePlugin } from '../page-scope.ts'
import { requireRole } from '../sign-in/require-role.ts'
import { accountActivity } from './activity/activity.ts'
import { accountEvents } from './activity/events.ts'
import { connectedAppPages } from './app/index.ts'
import { storeDataPages } from '../store-data/index.ts'
import { accountStoresList } from './stores.ts'
import { connectedAppsList } from './apps.ts'

/** The merchant's pages: the data of their stores; which apps read which stores, since when, what they read; and how to change or end it. */
export const merchantPages: PagePlugin = async (scope, deps) => {
  scope.addHook('preHandler', requireRole('merchant', deps))
  connectedAppsList(scope, deps)
  accountActivity(scope, deps)
  accountEvents(scope, deps)
  accountStoresList(scope, deps)
  await scope.register(connectedAppPages, deps)
  await scope.register(storeDataPages({ stores: '/account/stores' }), deps)
}
