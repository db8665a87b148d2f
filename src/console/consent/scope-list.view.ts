import { html } from 'ghtml'
import { isScope, type Scope, scopes } from '../../contract/scopes.ts'
import { badge } from '../parts/badge.ts'

/** What each scope lets an app see, in a shop owner's words. */
const sees: Record<Exclude<Scope, 'platform.write'>, string> = {
  'integration.store': 'The names and time zones of the stores',
  'integration.order':
    'Every order: what was bought and when, prices, taxes, discounts, refunds and how it was paid',
  'integration.inventory': 'The items you sell with their prices, and how many of each were sold',
}

const isSeeing = (name: string): name is keyof typeof sees => Object.hasOwn(sees, name)

interface ScopeNotes {
  /** These are marked. */
  isNew?: (name: string) => boolean
  /** Text behind a scope, such as the stores that it is limited to. */
  note?: (name: string) => string
}

/** The names of the scopes are for developers, so they are folded away. */
export const scopeList = (
  names: readonly string[],
  { isNew = () => false, note = () => '' }: ScopeNotes = {},
): string => {
  const seen = names.filter(isSeeing)
  return html`<ul class="scopes">!${seen.map(
    name => html`<li>${sees[name]}${note(name)}!${isNew(name) ? html` !${badge('New', 'info')}` : ''}</li>`,
  )}</ul>
    <details class="fine">
      <summary>Scope names</summary>
      <ul>!${names.map(name => html`<li><code>${name}</code> ${isScope(name) ? scopes[name].gives : ''}</li>`)}</ul>
    </details>`
}

/** What the app can change, in a sentence. */
export const changesInWords = (names: readonly string[]): string =>
  names.includes('platform.write')
    ? 'It can change the stores, items and orders of the whole platform.'
    : 'It cannot change your orders, items or prices.'
