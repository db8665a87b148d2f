import { html } from 'ghtml'

/** Text, which `render` escapes, or HTML, whose values are escaped already. */
export type Content = { text: string } | { html: string }

export const render = (content: Content): string => ('text' in content ? html`${content.text}` : content.html)

/** A link to the next step. */
export interface Action {
  href: string
  label: string
}
