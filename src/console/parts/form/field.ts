import { html } from 'ghtml'
import type { InputError } from '../../../domain/input-error.ts'
import { type Content, render } from '../content.ts'
import { notice } from '../notice.ts'

interface Field {
  /** Of the control; unique on the page, and the `field` of the InputError that is about it. */
  id: string
  /** Text. */
  label: string
  /** What is expected, said before it is typed. */
  hint: Content
  problem?: InputError | undefined
  /** HTML of the input or textarea, with these attributes in it. */
  control: (attributes: string) => string
}

/** A field with its hint and, when what was typed cannot be used, what is wrong with it, right there. */
export const field = ({ id, label, hint, problem, control }: Field): string =>
  html`<label for="${id}">${label}</label>
    !${problemAt(id, problem)}
    !${control(html`id="${id}" !${marks(id, problem)} !${problem?.field === id ? 'autofocus' : ''}`)}
    <small id="${id}-hint">!${render(hint)}</small>`

/** What a screen reader says with a field, and what the browser and the stylesheet mark it by. */
export const marks = (id: string, problem: InputError | undefined): string =>
  problem?.field === id
    ? html`aria-invalid="true" aria-describedby="${id}-problem ${id}-hint"`
    : html`aria-describedby="${id}-hint"`

export const problemAt = (id: string, problem: InputError | undefined): string =>
  problem?.field === id
    ? notice({ tone: 'bad', content: { text: sentence(problem.message) }, id: `${id}-problem` })
    : ''

/** Messages begin in lower case, for they follow an option's name on the command line. */
const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
