import type { Page } from '../layout.ts'
import type { PagePlugin } from '../page-scope.ts'
import { sendHtml } from '../send-html.ts'
import { guideAddress, guides, guidesPath } from '../../http/ops/guides.ts'
import { exampleAddress, examples, textOf } from './guide-files.ts'
import { guidePage, guidesPage } from './guides.view.ts'

/** The guides for integrators, as the documents of the repository have them, with this server's address. */
export const guidePages: PagePlugin = async (scope, { issuer }) => {
  /** Made at the first request: most processes show no guide. */
  const pages = new Map<string, Promise<Page>>()

  scope.get(guidesPath, (_request, reply) => sendHtml(reply, guidesPage()))
  for (const guide of guides) {
    scope.get(guideAddress(guide), async (_request, reply) => {
      const page = pages.get(guide.name) ?? render(guide)
      pages.set(guide.name, page)
      return sendHtml(reply, await page)
    })
  }
  for (const file of examples) {
    scope.get(exampleAddress(file), (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(textOf(file)),
    )
  }

  async function render(guide: (typeof guides)[number]): Promise<Page> {
    const { renderMarkdown } = await import('./markdown.ts')
    const text = textOf(guide.file).replaceAll('https://pos.example', issuer)
    return guidePage(guide, renderMarkdown(text, guide.file))
  }
}
