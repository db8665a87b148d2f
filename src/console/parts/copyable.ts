import { html } from 'ghtml'

interface Copyable {
  value: string
  /** Unique on the page. */
  id: string
  /** Text: what is copied, for screen readers ("client secret"). */
  what: string
}

/** A value to copy: one click selects all of it, and with script a button copies it. */
export const copyable = ({
  value,
  id,
  what,
}: Copyable): string => html`<code class="value" id="${id}">${value}</code>
  <button type="button" class="secondary small copy" data-copy="${id}" hidden>Copy<span class="visually-hidden"> ${what}</span></button>
  <span class="copied" role="status"></span>`
