import { html } from 'ghtml'

/** `GET /integration/v1/orders`: a line may end behind a slash, and nowhere else. */
export const endpointCode = (endpoint: string): string =>
  html`<code>!${endpoint
    .split('/')
    .map(part => html`${part}`)
    .join('/<wbr>')}</code>`
