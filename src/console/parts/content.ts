import { html } from 'ghtml'

/** What stands in a place of a part: text, which is escaped, or HTML, which was escaped where it was made. */
export type Content = { text: string } | { html: string }

export const render = (content: Content): string => ('text' in content ? html`${content.text}` : content.html)

/** Where a person can go on. */
export interface Action {
  href: string
  label: string
}
