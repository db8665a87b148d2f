import { html } from 'ghtml'
import { type Content, render } from './content.ts'

export type Fact = { term: string } & Content

interface FactsOptions {
  /** Side by side, each under its term. */
  across?: boolean
}

/** A list of terms with their values. */
export const facts = (list: readonly Fact[], { across = false }: FactsOptions = {}): string =>
  html`<dl class="facts${across ? ' across' : ''}">!${list.map(
    fact => html`<div><dt>${fact.term}</dt><dd>!${render(fact)}</dd></div>`,
  )}</dl>`
