import type { FastifyReply } from 'fastify'
import type { Account } from '../storage/port/index.ts'
import type { Viewer } from './layout.ts'

/**
 * The person that a page is made for. To be called once for a reply: in a browser without the token's cookie, a second
 * token would make the first one invalid. The page's own forms use `viewer.csrf`.
 */
export const viewerOf = (reply: FastifyReply, account: Account): Viewer => ({
  account,
  csrf: reply.generateCsrf(),
})
