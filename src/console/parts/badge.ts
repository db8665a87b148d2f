import { html } from 'ghtml'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

/** A state in a word or two. The word says it; the colour only helps. */
export const badge = (text: string, tone: Tone = 'neutral'): string =>
  html`<span class="badge ${tone}">${text}</span>`
