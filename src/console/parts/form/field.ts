import { html } from 'ghtml'
import type { InputError } from '../../../domain/input-error.ts'
import { type Content, render } from '../content.ts'
import { notice } from '../notice.ts'
import { capitalized } from '../format/capitalized.ts'

interface Field {
  /** The id of the control: unique on the page, and the `field` of an InputError about it. */
  id: string
  /** Text. */
  label: string
  /** What to type. */
  hint: Content
  problem?: InputError | undefined
  /** HTML of the input or textarea, with these attributes in it. */
  control: (attributes: string) => string
}

/** A field with its hint, and with its problem after a rejected submission. */
export const field = ({ id, label, hint, problem, control }: Field): string =>
  html`<label for="${id}">${label}</label>
    !${problemAt(id, problem)}
    !${control(html`id="${id}" !${marks(id, problem)} !${problem?.field === id ? 'autofocus' : ''}`)}
    <small id="${id}-hint">!${render(hint)}</small>`

/** Accessibility attributes of a field; the stylesheet uses them too. */
export const marks = (id: string, problem: InputError | undefined): string =>
  problem?.at(id)
    ? html`aria-invalid="true" aria-describedby="${id}-problem ${id}-hint"`
    : html`aria-describedby="${id}-hint"`

export const problemAt = (id: string, problem: InputError | undefined): string => {
  const here = problem?.at(id)
  return here ? notice({ tone: 'bad', content: { text: sentence(here.message) }, id: `${id}-problem` }) : ''
}

/** Messages begin in lower case because the command line prints them after an option's name. */
const sentence = (message: string): string => `${capitalized(message)}.`
