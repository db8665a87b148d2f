import { html } from 'ghtml'
import { type Action, type Content, render } from './content.ts'

interface PageHeader {
  title: string
  /** A sentence under the title. */
  lead?: Content
  /** The page above this one. */
  back?: Action
  /** HTML before the title: an app's logo. */
  logo?: string
  /** HTML beside the title: badges. */
  beside?: string
  /** HTML: links as `class="button"`, or forms. */
  actions?: string
}

/** The page's title, and the actions on the page as a whole. */
export const pageHeader = ({
  title,
  lead,
  back,
  logo = '',
  beside = '',
  actions,
}: PageHeader): string => html`
  !${back ? html`<p class="back"><a href="${back.href}">${back.label}</a></p>` : ''}
  <div class="page-header">
    <div>
      !${logo}<h1>${title}</h1>!${beside}
      !${lead ? html`<p class="lead">!${render(lead)}</p>` : ''}
    </div>
    !${actions === undefined ? '' : html`<div class="actions">!${actions}</div>`}
  </div>`
