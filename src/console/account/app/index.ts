import type { AppConnections, Connection } from '../../../domain/apps/connected-apps.ts'
import type { PagePlugin } from '../../page-scope.ts'
import { accountApp } from './app.ts'
import { sendNotConnected } from './not-connected.ts'
import { accountRevoke } from './revoke.ts'
import { accountStores } from './stores.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How the app in the address is connected to the merchant's stores. Set on these pages alone. */
    connections: AppConnections
    /** The connection that the merchant allowed, and may change. */
    ownConnection: Connection
  }
}

/** The pages of one connected app. */
export const connectedAppPages: PagePlugin = async (scope, deps) => {
  scope.decorateRequest('connections')
  scope.addHook<{ Params: { app_id: string } }>('preHandler', async (request, reply) => {
    const { account, viewer, params } = request
    const connections = await deps.connectedApps.find(account, params.app_id)
    // Another merchant's app looks like one that does not exist.
    if (!connections) return sendNotConnected(reply, viewer)
    request.connections = connections
  })
  accountApp(scope, deps)
  await scope.register(ownConnectionPages, deps)
}

const ownConnectionPages: PagePlugin = async (scope, deps) => {
  scope.decorateRequest('ownConnection')
  scope.addHook('preHandler', async (request, reply) => {
    const { own } = request.connections
    // A merchant can neither change nor end a connection that the operator made.
    if (!own) return sendNotConnected(reply, request.viewer)
    request.ownConnection = own
  })
  accountStores(scope, deps)
  accountRevoke(scope, deps)
}
