import { html } from 'ghtml'

interface Choice {
  /** Of the form's field, and what it is sent with when it is ticked. Together unique on the page. */
  name: string
  value: string
  /** Text; the checkbox is named by it, and by nothing else. */
  label: string
  /** Text under it: what ticking it means. */
  hint: string
  checked: boolean
}

/** One checkbox with its explanation, which a screen reader says after the name. */
export const choice = ({ name, value, label, hint, checked }: Choice): string => {
  const id = `${name}-${value}-hint`
  return html`<div class="choice">
    <label><input type="checkbox" name="${name}" value="${value}" !${checked ? 'checked' : ''}
      aria-describedby="${id}"> ${label}</label>
    <small id="${id}">${hint}</small>
  </div>`
}
