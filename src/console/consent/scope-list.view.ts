import { html } from 'ghtml'
import { isScope, scopes } from '../../contract/scopes.ts'

/** What each scope allows in plain words, with its name for developers. */
export const scopeList = (names: readonly string[]): string =>
  html`<ul class="scopes">!${names.map(
    name => html`<li>${isScope(name) ? scopes[name].gives : name} <small>${name}</small></li>`,
  )}</ul>`
