import { html } from 'ghtml'
import type { Action, Content } from './content.ts'
import { render } from './content.ts'

interface EmptyState {
  /** What there is none of. */
  title: string
  /** Why, and what to do about it. */
  content: Content
  action?: Action
}

/** Where a list would be. */
export const emptyState = ({ title, content, action }: EmptyState): string => html`<div class="empty">
  <p class="empty-title">${title}</p>
  <p>!${render(content)}</p>
  !${action ? html`<p><a class="button" href="${action.href}">${action.label}</a></p>` : ''}
</div>`
