import { html } from 'ghtml'
import type { Tone } from './badge.ts'
import { type Content, render } from './content.ts'

interface Notice {
  tone: Tone
  title?: string
  content: Content
  /** For a field's own problem: what its `aria-describedby` names. */
  id?: string
}

/** Something to know before going on. What went wrong is said at once by a screen reader, the rest when it has time. */
export const notice = ({ tone, title, content, id }: Notice): string => {
  const role = tone === 'bad' ? 'role="alert"' : tone === 'good' ? 'role="status"' : ''
  const heading = title === undefined ? '' : html`<strong>${title}</strong>`
  const named = id === undefined ? '' : html`id="${id}"`
  return html`<div class="notice ${tone}" !${role} !${named}>!${heading}!${render(content)}</div>`
}

/** The usual one: a form that was not taken. */
export const problemNotice = (problem: string | undefined): string =>
  problem === undefined ? '' : notice({ tone: 'bad', content: { text: problem } })
