import { html } from 'ghtml'

export interface Choice {
  value: string
  /** Text; the checkbox's whole accessible name. */
  label: string
  checked: boolean
  /** Text beside it: a place, a time zone. */
  hint?: string | undefined
  /** Text beside it while it is ticked, or not: what would change. */
  ticked?: string | undefined
  unticked?: string | undefined
}

interface ChoiceList {
  /** Text: the question. */
  legend: string
  /** The name of the form field. */
  name: string
  /** What one choice is called: "store". */
  noun: string
  choices: readonly Choice[]
  /** Set when the server handles the tools too, so that they work without script. */
  served?: {
    /** The name of the buttons, whose value is `find`, `all` or `none`. */
    button: string
    /** The text of the field `<name>_search`; `choices` are its matches. */
    search: string
    /** The number of choices without the search. */
    total: number
  }
}

/** A list of at least this many choices has a search field. */
const searchable = 8

/** Checkboxes with tools to search, tick all and clear all: by script, or by the server without it. */
export function choiceList(list: ChoiceList): string {
  const { legend, name, noun, choices, served } = list
  const total = served?.total ?? choices.length
  return html`<fieldset class="choices" data-choices>
    <legend>${legend}</legend>
    !${total < 2 ? '' : tools(list, total)}
    !${
      choices.length === 0
        ? html`<p class="muted">No ${noun} has “${served?.search}” in its name.</p>`
        : html`<ul !${choices.length < searchable ? '' : 'class="long"'}>!${choices.map(choice(name))}</ul>`
    }
  </fieldset>`
}

const choice =
  (name: string) =>
  ({ value, label, checked, hint, ticked, unticked }: Choice, index: number): string => {
    const id = `${name}-hint-${index}`
    // Screen readers skip what is not displayed, so the description always matches the box.
    const hints = [
      hint === undefined ? '' : html`<span>${hint}</span>`,
      ticked === undefined ? '' : html`<span class="when-ticked">${ticked}</span>`,
      unticked === undefined ? '' : html`<span class="when-unticked">${unticked}</span>`,
    ].filter(text => text !== '')
    return html`<li>
      <label><input type="checkbox" name="${name}" value="${value}" !${checked ? 'checked' : ''}
        !${hints.length === 0 ? '' : html`aria-describedby="${id}"`}> ${label}</label>
      !${hints.length === 0 ? '' : html`<small id="${id}">!${hints}</small>`}
    </li>`
  }

/** Find comes first, because the Enter key presses a form's first button and Find decides nothing. */
function tools({ name, noun, choices, served }: ChoiceList, total: number): string {
  const button = (value: string, text: string, attribute: string): string =>
    served
      ? html`<button type="submit" name="${served.button}" value="${value}" class="secondary small" !${attribute}>${text}</button>`
      : html`<button type="button" class="secondary small" !${attribute}>${text}</button>`
  const field = served ? html`name="${name}_search" value="${served.search}"` : ''
  const picked = choices.filter(({ checked }) => checked).length
  return html`<div class="choice-tools" !${served ? '' : 'hidden'}>
    !${
      total < searchable
        ? ''
        : html`<label class="visually-hidden" for="${noun}-filter">Find a ${noun}</label>
          <input type="search" id="${noun}-filter" !${field} placeholder="Find a ${noun}" autocomplete="off"
            maxlength="200" data-filter>`
    }
    !${served ? button('find', 'Find', total < searchable ? 'hidden' : 'data-find') : ''}
    !${button('all', 'All', 'data-tick="all"')}
    !${button('none', 'None', 'data-tick="none"')}
    <span class="muted" role="status" data-count>${picked} of ${total} picked</span>
  </div>`
}
