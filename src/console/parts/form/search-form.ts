import { html } from 'ghtml'

interface SearchForm {
  /** The page itself, without query. */
  action: string
  /** Text beside the field. */
  label: string
  value: string
  name?: string
  placeholder?: string
  /** Other query parameters that a search keeps. */
  keep?: Readonly<Record<string, string>>
  /** HTML: further fields, such as a select of states. */
  fields?: string
}

/** Sent with GET, so that the result has an address. */
export const searchForm = (form: SearchForm): string => {
  const { action, label, value, name = 'q', placeholder = '', keep = {}, fields = '' } = form
  return html`<form class="search" method="get" action="${action}" role="search" aria-label="${label}">
    !${Object.entries(keep).map(([key, kept]) => html`<input type="hidden" name="${key}" value="${kept}">`)}
    <label>${label} <input type="search" name="${name}" value="${value}" placeholder="${placeholder}"
      autocomplete="off" spellcheck="false" maxlength="200"></label>
    !${fields}
    <button type="submit" class="secondary">Search</button>
    !${value === '' ? '' : html`<a class="clear" href="${action}">Show all</a>`}
  </form>`
}
