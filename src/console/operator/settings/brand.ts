import type { FastifyReply, FastifyRequest } from 'fastify'
import { byAccount } from '../../../domain/audit/audit.ts'
import type { BrandForm } from '../../../domain/brand/brand.ts'
import { InputError } from '../../../domain/input-error.ts'
import { platformOwner } from '../../../storage/port/index.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, file, form, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { fromOf } from '../../sign-in/signed-in.ts'
import { brandPage } from './brand.view.ts'

/** How the platform shows itself: name, accent colour and support address in one form, the logo in another. */
export function operatorBrand(scope: PageScope, { brand, logos }: ConsoleDeps): void {
  const path = '/operator/settings/brand'

  async function show(
    { viewer }: FastifyRequest,
    reply: FastifyReply,
    { typed, problem, saved = false }: { typed?: BrandForm; problem?: InputError; saved?: boolean },
  ): Promise<FastifyReply> {
    const now = await brand.refresh()
    const { name, accent, support } = now
    const values = typed ?? { name: name ?? '', accent: accent ?? '', support: support ?? '' }
    const page = brandPage({ viewer, brand: now, form: values, problem, saved })
    return sendHtml(reply, page, problem ? 422 : 200)
  }

  const query = { querystring: fields({ saved: text }) }
  scope.get(path, { schema: query }, async (request, reply) =>
    show(request, reply, { saved: request.query.saved === '1' }),
  )

  // One of the page's forms: `part` says which.
  const body = form({ part: text, name: text, accent: text, support: text, logo: file, remove: text })
  scope.post(path, { schema: { body } }, async (request, reply) => {
    const { part, name, accent, support, logo, remove } = request.body
    const by = byAccount(request.account, fromOf(request))
    const typed = { name, accent, support }
    try {
      if (part === 'brand') await brand.change(typed, by)
      if (part === 'logo' && remove === 'yes') await logos.remove(platformOwner, by)
      else if (part === 'logo') await logos.upload(platformOwner, logo ?? Buffer.alloc(0), by)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return show(request, reply, { ...(part === 'brand' && { typed }), problem: error })
    }
    return reply.redirect(`${path}?saved=1`, 303)
  })
}
