import { html } from 'ghtml'

interface Pagination {
  /** Text: names the list for screen readers. */
  label: string
  /** Addresses; null or left out at the end of the list. */
  newer?: string | null
  older?: string | null
  /** Labels for lists that are not sorted by time: Previous and Next. */
  words?: { newer: string; older: string }
  /** Text between the two: "Page 2", "51–100 of 320". */
  position?: string
}

/** Links to the previous and the next page of a list; empty for a list of one page. */
export function pagination({ label, newer, older, position, words }: Pagination): string {
  if (!newer && !older) return ''
  const { newer: back, older: on } = words ?? { newer: 'Newer', older: 'Older' }
  const link = (href: string | null | undefined, text: string, rel: string): string =>
    href ? html`<a class="button secondary" rel="${rel}" href="${href}">${text}</a>` : '<span></span>'
  return html`<nav class="pagination" aria-label="${label}">
    !${link(newer, back, 'prev')}
    !${position === undefined ? '' : html`<span class="muted">${position}</span>`}
    !${link(older, on, 'next')}
  </nav>`
}

/** The page that a query asks for: the first one unless the text is a page number. */
export const pageNumber = (text: string): number => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1)
