import { html } from 'ghtml'

/** A form that changes something, with its CSRF token. `body` is HTML. */
export const postForm = (
  action: string,
  csrf: string,
  body: string,
  { once = false }: { /** The script stops a second submission. */ once?: boolean } = {},
): string =>
  html`<form method="post" action="${action}" !${once ? 'data-once' : ''}>
    <input type="hidden" name="_csrf" value="${csrf}">
    !${body}
  </form>`
