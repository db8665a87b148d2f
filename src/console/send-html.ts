import type { FastifyReply } from 'fastify'

export const sendHtml = (reply: FastifyReply, page: string, status = 200): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(page)
