import { html } from 'ghtml'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

/** A state in a word or two, so that the meaning does not depend on the colour. */
export const badge = (text: string, tone: Tone = 'neutral'): string =>
  html`<span class="badge ${tone}">${text}</span>`
