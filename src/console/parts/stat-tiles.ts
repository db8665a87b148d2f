import { html } from 'ghtml'
import { type Content, render } from './content.ts'

export type Stat = {
  label: string
  /** Shown under the figure: its unit, its period or a comparison. */
  hint?: string
  href?: string
} & Content

/** A few figures at a glance. */
export const statTiles = (stats: readonly Stat[]): string =>
  html`<dl class="stats">!${stats.map(
    stat => html`<div>
      <dt>!${stat.href === undefined ? html`${stat.label}` : html`<a href="${stat.href}">${stat.label}</a>`}</dt>
      <dd><span class="figure">!${render(stat)}</span>!${stat.hint === undefined ? '' : html`<small>${stat.hint}</small>`}</dd>
    </div>`,
  )}</dl>`
