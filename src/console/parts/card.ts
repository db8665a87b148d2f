import { html } from 'ghtml'

interface Card {
  /** Text; the card's heading. */
  title?: string
  level?: 2 | 3
  /** HTML to the right of the heading. */
  beside?: string
  /** HTML. */
  body: string
}

/** A section of a page in a box. */
export const card = ({ title, level = 2, beside = '', body }: Card): string => html`<section class="card">
  !${title === undefined ? '' : html`<div class="card-header"><h!${level}>${title}</h!${level}>!${beside}</div>`}
  !${body}
</section>`
