import { html } from 'ghtml'
import type { Action } from './content.ts'

interface Tabs {
  /** Text: what one chooses between, for screen readers. */
  label: string
  /** The address of the one that is shown. */
  current: string
  entries: readonly Action[]
  /** Inside a card: for a choice that changes a part of the page. */
  small?: boolean
}

/** Pages that belong together, or one page in several ways: links, so each has an address. */
export const tabs = ({ label, current, entries, small = false }: Tabs): string =>
  html`<nav class="tabs${small ? ' small' : ''}" aria-label="${label}">
    <ul>!${entries.map(
      ({ href, label: text }) =>
        html`<li><a href="${href}" !${href === current ? mark(small) : ''}>${text}</a></li>`,
    )}</ul>
  </nav>`

const mark = (small: boolean): string => (small ? 'aria-current="true"' : 'aria-current="page"')
