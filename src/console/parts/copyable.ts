import { html } from 'ghtml'

interface Copyable {
  value: string
  /** Unique on the page. */
  id: string
  /** Text: what is copied, for screen readers ("client secret"). */
  what: string
  /** For several lines. */
  block?: boolean
}

/** A value to copy: one click selects all of it, and with script a button copies it. */
export const copyable = ({
  value,
  id,
  what,
  block = false,
}: Copyable): string => html`<code class="value${block ? ' block' : ''}" id="${id}">${value}</code>
  <button type="button" class="secondary small copy" data-copy="${id}" hidden>Copy<span class="visually-hidden"> ${what}</span></button>
  <span class="copied" role="status"></span>`
