import type { FastifyReply } from 'fastify'
import { messagePage, type Viewer } from '../layout.ts'
import type { Action } from '../parts/content.ts'
import { sendHtml } from '../send-html.ts'
import { capitalized } from '../parts/format/capitalized.ts'

/** `list` is the page where the operator can look for it. */
export function sendNotFound(
  reply: FastifyReply,
  viewer: Viewer,
  what: 'account' | 'app' | 'store',
  list: Action,
): FastifyReply {
  const advice = `No ${what} has this address. Check it for typos.`
  return sendHtml(reply, messagePage(`${capitalized(what)} not found`, advice, { viewer, action: list }), 404)
}
