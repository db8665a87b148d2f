import type { FastifyReply } from 'fastify'
import { messagePage, type Viewer } from '../../layout.ts'
import { sendHtml } from '../../send-html.ts'

export function sendNotConnected(reply: FastifyReply, viewer: Viewer): FastifyReply {
  const advice = 'Its access was revoked, or it was never connected to your stores.'
  const action = { href: '/account/apps', label: 'Connected apps' }
  return sendHtml(reply, messagePage('This app is not connected', advice, { viewer, action }), 404)
}
