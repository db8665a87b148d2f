import type { FastifyReply } from 'fastify'
import type { BrandService } from '../domain/brand/brand.ts'
import type { Page } from './layout.ts'

declare module 'fastify' {
  interface FastifyInstance {
    brand: Pick<BrandService, 'current'>
  }
}

export const sendHtml = (reply: FastifyReply, page: Page, status = 200): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(page(reply.server.brand.current()))
