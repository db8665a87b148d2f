import { html } from 'ghtml'
import type { App } from '../../storage/port/index.ts'
import { type Fact, facts } from '../parts/facts.ts'

type Face = Pick<App, 'website' | 'publisher'>

/** Who made an app and where it lives: what its developer says, which nobody has checked. */
export const appFacts = ({ website, publisher }: Face, more: readonly Fact[] = []): string =>
  html`!${facts([
    { term: 'Made by', ...(publisher === null ? unknown : { text: publisher }) },
    { term: 'Its site', ...(website === null ? unknown : { html: siteLink(website) }) },
    ...more,
  ])}
  !${publisher === null && website === null ? '' : html`<p class="muted fine">Maker and site are what the app’s developer says.</p>`}`

const unknown = { html: html`<span class="muted">Not told by its developer</span>` }

/** By its host, so that no path or name can pretend to be another one. In a tab of its own: the page stays open. */
const siteLink = (website: string): string =>
  html`<a href="${website}" target="_blank" rel="noopener noreferrer">${new URL(website).host}<span
    class="visually-hidden"> (opens in a new tab)</span></a>`

/** Where an app can be found again. */
export function appAddress({
  website,
  redirect_uris,
}: Pick<App, 'website' | 'redirect_uris'>): string | null {
  const [first] = redirect_uris
  return website ?? (first === undefined ? null : new URL(first).origin)
}
