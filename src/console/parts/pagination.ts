import { html } from 'ghtml'

interface Pagination {
  /** Text: what is paged through, for screen readers. */
  label: string
  /** Addresses; one that is left out or null has no further page. */
  newer?: string | null
  older?: string | null
  /** For lists that are not by time: Previous and Next. */
  words?: { newer: string; older: string }
  /** Text between the two: "Page 2", "51–100 of 320". */
  position?: string
}

/** Ways to the neighbouring pages of a list; nothing where all of it is on one page. */
export function pagination({ label, newer, older, position, words }: Pagination): string {
  if (!newer && !older) return ''
  const { newer: back, older: on } = words ?? { newer: 'Newer', older: 'Older' }
  const way = (href: string | null | undefined, text: string, rel: string): string =>
    href ? html`<a class="button secondary" rel="${rel}" href="${href}">${text}</a>` : '<span></span>'
  return html`<nav class="pagination" aria-label="${label}">
    !${way(newer, back, 'prev')}
    !${position === undefined ? '' : html`<span class="muted">${position}</span>`}
    !${way(older, on, 'next')}
  </nav>`
}

/** Of a query; anything but the number of a page is the first one. */
export const pageNumber = (text: string): number => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1)
