import { html } from 'ghtml'
import type { Action, Content } from './content.ts'
import { render } from './content.ts'

interface EmptyState {
  /** Says what is missing. */
  title: string
  /** The reason, and what to do. */
  content: Content
  action?: Action
}

/** Shown instead of an empty list. */
export const emptyState = ({ title, content, action }: EmptyState): string => html`<div class="empty">
  <p class="empty-title">${title}</p>
  <p>!${render(content)}</p>
  !${action ? html`<p><a class="button" href="${action.href}">${action.label}</a></p>` : ''}
</div>`
