import { html } from 'ghtml'
import { isScope, type Scope, scopes } from '../../contract/scopes.ts'

/** What each scope lets an app see or do, in a shop owner's words. */
const sees: Record<Scope, string> = {
  'integration.store': 'The names and time zones of the stores',
  'integration.order':
    'Every order: what was bought and when, prices, taxes, discounts, refunds and how it was paid',
  'integration.inventory': 'The items you sell with their prices, and how many of each were sold',
  'platform.write': 'It can also change the stores, items and orders of the whole platform',
}

/** The names of the scopes are for developers, so they are folded away. */
export const scopeList = (names: readonly string[]): string =>
  html`<ul class="scopes">!${names.map(name => html`<li>${isScope(name) ? sees[name] : name}</li>`)}</ul>
    <details class="fine">
      <summary>Names for developers</summary>
      <ul>!${names.map(name => html`<li><code>${name}</code> ${isScope(name) ? scopes[name].gives : ''}</li>`)}</ul>
    </details>`
