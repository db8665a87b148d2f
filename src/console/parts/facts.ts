import { html } from 'ghtml'
import { type Content, render } from './content.ts'

export type Fact = { term: string } & Content

interface FactsOptions {
  /** Beside each other, each under its term: a thing in a list of its kind. */
  across?: boolean
}

/** A thing's properties: term and description, side by side where there is room. */
export const facts = (list: readonly Fact[], { across = false }: FactsOptions = {}): string =>
  html`<dl class="facts${across ? ' across' : ''}">!${list.map(
    fact => html`<div><dt>${fact.term}</dt><dd>!${render(fact)}</dd></div>`,
  )}</dl>`
