import { html } from 'ghtml'
import type { Action } from './content.ts'

interface Tabs {
  /** Text: names the tabs for screen readers. */
  label: string
  /** The address of the current tab. */
  current: string
  entries: readonly Action[]
  /** For tabs that change a part of the page. */
  small?: boolean
}

/** Links between related pages, or between variants of one page. */
export const tabs = ({ label, current, entries, small = false }: Tabs): string =>
  html`<nav class="tabs${small ? ' small' : ''}" aria-label="${label}">
    <ul>!${entries.map(
      ({ href, label: text }) =>
        html`<li><a href="${href}" !${href === current ? mark(small) : ''}>${text}</a></li>`,
    )}</ul>
  </nav>`

const mark = (small: boolean): string => (small ? 'aria-current="true"' : 'aria-current="page"')
