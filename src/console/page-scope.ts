import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ConsoleDeps } from './deps.ts'

/** Pages that share their preHandler hooks, such as the check of who is signed in. */
export type PagePlugin = FastifyPluginAsyncTypebox<ConsoleDeps>

/** A Fastify scope that pages add routes to. The routes' schemas give requests their types. */
export type PageScope = Parameters<PagePlugin>[0]
