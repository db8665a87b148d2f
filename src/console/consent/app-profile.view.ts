import { html } from 'ghtml'
import type { App } from '../../storage/port/index.ts'
import { type Fact, facts } from '../parts/facts.ts'

/** The publisher and the website that the app's developer stated, if any. Nobody has verified them. */
export const appFacts = (
  { website, publisher }: Pick<App, 'website' | 'publisher'>,
  more: readonly Fact[] = [],
): string =>
  html`!${facts([
    ...(publisher === null ? [] : [{ term: 'Made by', text: publisher }]),
    ...(website === null ? [] : [{ term: 'Website', html: siteLink(website) }]),
    ...more,
  ])}
  !${publisher === null && website === null ? '' : html`<p class="muted fine">The app’s developer states its maker and website. Nobody has verified them.</p>`}`

/** Shows the host, so that no path can look like another site. A new tab keeps the consent page open. */
const siteLink = (website: string): string =>
  html`<a href="${website}" target="_blank" rel="noopener noreferrer">${new URL(website).host}<span
    class="visually-hidden"> (opens in a new tab)</span></a>`

/** The app's website, or else the origin of its first redirect URI. */
export function appAddress({
  website,
  redirect_uris,
}: Pick<App, 'website' | 'redirect_uris'>): string | null {
  const [first] = redirect_uris
  return website ?? (first === undefined ? null : new URL(first).origin)
}
