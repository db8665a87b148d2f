import type { FastifyReply } from 'fastify'
import type { Account } from '../storage/port/index.ts'
import type { Viewer } from './layout.ts'

/**
 * Who a page is made for. Once for a reply: in a browser without the token's cookie, a second token would make the first
 * one worthless. The page's own forms use `viewer.csrf`.
 */
export const viewerOf = (reply: FastifyReply, account: Account): Viewer => ({
  account,
  csrf: reply.generateCsrf(),
})
