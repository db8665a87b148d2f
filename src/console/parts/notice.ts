import { html } from 'ghtml'
import type { Tone } from './badge.ts'
import { type Content, render } from './content.ts'

interface Notice {
  tone: Tone
  title?: string
  content: Content
  /** For the `aria-describedby` of a field with a problem. */
  id?: string
}

/** A message above the content. Screen readers announce a problem immediately, a success when they are idle. */
export const notice = ({ tone, title, content, id }: Notice): string => {
  const role = tone === 'bad' ? 'role="alert"' : tone === 'good' ? 'role="status"' : ''
  const heading = title === undefined ? '' : html`<strong>${title}</strong>`
  const named = id === undefined ? '' : html`id="${id}"`
  return html`<div class="notice ${tone}" !${role} !${named}>!${heading}!${render(content)}</div>`
}

/** For a form that was rejected. */
export const problemNotice = (problem: string | undefined): string =>
  problem === undefined ? '' : notice({ tone: 'bad', content: { text: problem } })
