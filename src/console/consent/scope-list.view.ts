import { html } from 'ghtml'
import { isScope, scopes } from '../../contract/scopes.ts'

/** What scopes give, in plain words, with the names that developers know them by. */
export const scopeList = (names: readonly string[]): string =>
  html`<ul class="scopes">!${names.map(
    name => html`<li>${isScope(name) ? scopes[name].gives : name} <small>${name}</small></li>`,
  )}</ul>`
