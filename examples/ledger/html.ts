/** HTML whose values are escaped: html`<b>${name}</b>`. Other HTML and lists of it are put in as they are. */

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | null | false

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(value: Value): string {
  if (value === null || value === false) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  return String(value).replace(/[&<>"']/g, character => entities[character] ?? '')
}

export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.map((part, index) => part + render(values[index] ?? null)).join(''))
