import { html } from 'ghtml'

interface Choice {
  /** Name and value of the form field; unique on the page as a pair. */
  name: string
  value: string
  /** Text; the checkbox's whole accessible name. */
  label: string
  /** Text under it: what it means. */
  hint: string
  checked: boolean
}

/** One checkbox with an explanation, which screen readers announce after the name. */
export const choice = ({ name, value, label, hint, checked }: Choice): string => {
  const id = `${name}-${value}-hint`
  return html`<div class="choice">
    <label><input type="checkbox" name="${name}" value="${value}" !${checked ? 'checked' : ''}
      aria-describedby="${id}"> ${label}</label>
    <small id="${id}">${hint}</small>
  </div>`
}
