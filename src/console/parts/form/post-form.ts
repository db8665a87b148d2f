import { html } from 'ghtml'

/** A form that changes something, with its CSRF token. `body` is HTML. */
export const postForm = (
  action: string,
  csrf: string,
  body: string,
  {
    once = false,
    files = false,
  }: {
    /** The script stops a second submission. */
    once?: boolean
    /** The form has a file. */
    files?: boolean
  } = {},
): string =>
  html`<form method="post" action="${action}" !${files ? 'enctype="multipart/form-data"' : ''} !${once ? 'data-once' : ''}>
    <input type="hidden" name="_csrf" value="${csrf}">
    !${body}
  </form>`
