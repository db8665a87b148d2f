import { compileParameters } from '../parameters.ts'
import type { App } from '../route.ts'
import { changesHeads } from './changes.heads.ts'
import { changesList } from './changes.list.ts'
import { itemsList } from './items.list.ts'
import { ordersList } from './orders.list.ts'
import { receiptsList } from './receipts.list.ts'
import { salesList } from './sales.list.ts'
import { storeActivate } from './store.activate.ts'
import { storesList } from './stores.list.ts'
import type { IntegrationDeps } from './deps.ts'

/** Spec section 4: the API for third-party apps; answers are in the envelope. */
export function integrationApi(app: App, deps: IntegrationDeps): void {
  app.setValidatorCompiler(compileParameters)
  // Spec 4.2: no request body. A body that a client sends all the same is read, up to a limit, and ignored.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 64 * 1024 }, (_request, _body, done) =>
    done(null),
  )
  app.addHook('onRequest', (_request, reply, done) => {
    reply
      .header('cache-control', 'private, no-cache')
      .header('vary', 'authorization, accept-encoding, origin')
    done()
  })
  storesList(app, deps)
  storeActivate(app, deps)
  ordersList(app, deps)
  itemsList(app, deps)
  salesList(app, deps)
  changesList(app, deps)
  changesHeads(app, deps)
  receiptsList(app, deps)
}
