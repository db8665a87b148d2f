import type { FastifyReply } from 'fastify'
import { platformOwner } from '../../storage/port/index.ts'
import { fields, text } from '../fields.ts'
import type { PagePlugin } from '../page-scope.ts'
import { stylesheet } from './stylesheet.view.ts'

/**
 * The stylesheet of the accent colour, and logos. Both are public, and their addresses change with the content. Under an
 * old address they answer with the current content, not to be cached.
 */
export const brandFiles: PagePlugin = async (scope, { brand, logos }) => {
  const cached = (reply: FastifyReply, asked: string, version: string): FastifyReply =>
    reply.header('cache-control', asked === version ? 'public, max-age=31536000, immutable' : 'no-store')

  const schema = { querystring: fields({ v: text }) }

  scope.get('/brand.css', { schema }, async ({ query }, reply) => {
    const { accent } = await brand.refresh()
    if (accent === null) return reply.callNotFound()
    const { css, version } = stylesheet(accent)
    return cached(reply, query.v, version).type('text/css; charset=utf-8').send(css)
  })

  scope.get<{ Params: { app_id: string }; Querystring: { v: string } }>(
    '/logos/:app_id',
    { schema },
    async ({ params, query }, reply) => {
      const logo = await logos.find(params.app_id)
      if (!logo) return reply.callNotFound()
      cached(reply, query.v, logo.version)
      // Opened by itself, whatever the bytes are, nothing runs and nothing loads.
      reply.header('content-security-policy', "default-src 'none'; sandbox")
      const name = params.app_id === platformOwner ? 'platform' : 'app'
      reply.header('content-disposition', `inline; filename="${name}.${logo.type.slice('image/'.length)}"`)
      return reply.type(logo.type).send(logo.content)
    },
  )
}
