import { html } from 'ghtml'

/** A form that changes something: it carries the token that says it came from a page of ours. `body` is HTML already. */
export const postForm = (
  action: string,
  csrf: string,
  body: string,
  {
    once = false,
  }: { /** With script, a second press while it is under way sends nothing. */ once?: boolean } = {},
): string =>
  html`<form method="post" action="${action}" !${once ? 'data-once' : ''}>
    <input type="hidden" name="_csrf" value="${csrf}">
    !${body}
  </form>`
