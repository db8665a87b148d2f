import { html } from 'ghtml'

interface Select {
  name: string
  /** Text. */
  label: string
  /** Text of the option that filters nothing, if there is one. */
  all?: string
  /** Empty: nothing is filtered. */
  value: string
  options: readonly { value: string; label: string }[]
}

interface FilterForm {
  action: string
  /** Text: what is filtered, for screen readers. */
  label: string
  selects: readonly Select[]
  /** HTML: fields before the selects, such as a date. */
  fields?: string
}

/** Filters a page. Sent with GET, so that the result has an address. */
export const filterForm = ({ action, label, selects, fields = '' }: FilterForm): string =>
  html`<form class="search" method="get" action="${action}" aria-label="${label}">
    !${fields}!${selects.map(select)}
    <button type="submit" class="secondary">Show</button>
  </form>`

/** `for` makes the label alone the accessible name; a wrapping label would add the options. */
const select = ({
  name,
  label,
  all,
  value,
  options,
}: Select): string => html`<label for="filter-${name}">${label}
  <select id="filter-${name}" name="${name}">
    !${all === undefined ? '' : html`<option value="">${all}</option>`}
    !${options.map(
      option =>
        html`<option value="${option.value}" !${option.value === value ? 'selected' : ''}>${option.label}</option>`,
    )}
  </select></label>`
