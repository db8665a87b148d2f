import { html } from 'ghtml'
import { type Content, render } from './content.ts'

export type Fact = { term: string } & Content

/** A thing's properties: term and description, side by side where there is room. */
export const facts = (list: readonly Fact[]): string =>
  html`<dl class="facts">!${list.map(
    fact => html`<div><dt>${fact.term}</dt><dd>!${render(fact)}</dd></div>`,
  )}</dl>`
