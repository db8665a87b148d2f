import type { PagePlugin } from '../page-scope.ts'
import { storeItemPages } from './items.ts'
import { storeOrderPage } from './order.ts'
import { storeOrderPages } from './orders.ts'
import { storeSalesPages } from './sales.ts'
import { type Place, requireStore } from './store.ts'

/** The data of one store: orders, items and sales. Registered in the scopes of merchants and of operators. */
export const storeDataPages =
  (place: Place): PagePlugin =>
  async (scope, deps) => {
    scope.decorateRequest('openStore')
    scope.addHook('preHandler', requireStore(place, deps))
    const base = `${place.stores}/:store_id`
    // The operator's page of a store is about its apps.
    if (place.stores === '/account/stores') {
      scope.get(base, async ({ openStore }, reply) => reply.redirect(`${openStore.base}/orders`, 303))
    }
    storeOrderPages(scope, deps, base)
    storeOrderPage(scope, deps, base)
    storeItemPages(scope, deps, base)
    storeSalesPages(scope, deps, base)
  }
