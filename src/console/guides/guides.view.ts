import { html } from 'ghtml'
import { layout, type Page } from '../layout.ts'
import { type Guide, guideAddress, guides, guidesPath } from '../../http/ops/guides.ts'

export const guidesPage = (): Page =>
  layout({
    title: 'Guides',
    body: html`<div class="guide">
      <h1>Guides</h1>
      <p>How to build an app that reads a merchant’s orders. New here? Begin with
        <a href="${guideAddress(guides[0] as Guide)}">${guides[0]?.title}</a>.</p>
      <dl>
        !${guides.map(
          guide => html`<dt><a href="${guideAddress(guide)}">${guide.title}</a></dt><dd>${guide.about}</dd>`,
        )}
        <dt><a href="/docs">API reference</a></dt><dd>Every request, parameter and answer; the same for programs: <a href="/openapi.json">openapi.json</a>.</dd>
      </dl>
    </div>`,
  })

/** `content`: HTML, with the page's only `<h1>`. */
export const guidePage = (guide: Guide, content: string): Page =>
  layout({
    title: guide.title,
    body: html`<div class="guide">
      <nav aria-label="Guides">
        <ul>
          <li><a href="${guidesPath}">Guides</a></li>
          !${guides.map(each => html`<li><a href="${guideAddress(each)}" !${each === guide ? 'aria-current="page"' : ''}>${each.title}</a></li>`)}
          <li><a href="/docs">API reference</a></li>
        </ul>
      </nav>
      !${content}
    </div>`,
  })
