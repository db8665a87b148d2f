import { html } from 'ghtml'

/** A form that changes something: it carries the token that says it came from a page of ours. `body` is HTML already. */
export const postForm = (action: string, csrf: string, body: string): string =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="_csrf" value="${csrf}">
    !${body}
  </form>`

export const signOutForm = (csrf: string): string =>
  postForm('/logout', csrf, html`<button type="submit" class="secondary">Sign out</button>`)
