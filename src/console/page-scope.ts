import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ConsoleDeps } from './deps.ts'

/** Pages that share their preHandler hooks, such as the check of who is signed in. */
export type PagePlugin = FastifyPluginAsyncTypebox<ConsoleDeps>

/** Where a page adds its routes: requests get their types from the routes' schemas. */
export type PageScope = Parameters<PagePlugin>[0]
