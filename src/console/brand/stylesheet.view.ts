import { schemeOf, type Scheme } from '../../domain/brand/colours.ts'
import { sha256 } from '../../lib/hash.ts'

/** Overrides the colours of console.css that follow the accent. */
const write = (accent: string): string => `:root:not([data-theme]) {${rules(schemeOf(accent, 'light'))}}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme]) {${rules(schemeOf(accent, 'dark'))}}
}
`

const rules = ({ accent, accentHover, button, buttonHover, border, onButton }: Scheme): string => `
  --accent: ${accent};
  --pico-primary: ${accent};
  --pico-primary-hover: ${accentHover};
  --pico-primary-underline: ${accent};
  --pico-primary-focus: ${accent};
  --pico-primary-background: ${button};
  --pico-primary-border: ${border};
  --pico-primary-hover-background: ${buttonHover};
  --pico-primary-hover-border: ${border};
  --pico-primary-inverse: ${onButton};
  --pico-text-selection-color: ${accent}38;
  --pico-icon-checkbox: url("data:image/svg+xml,${encodeURIComponent(tick(onButton))}");
`

/** Pico's own is white. */
const tick = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${colour}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"><path d="M20 6 9 17l-5-5"/></svg>`

interface Stylesheet {
  css: string
  /** Hash of the stylesheet. */
  version: string
}

let newest: (Stylesheet & { accent: string }) | null = null

/** Every page needs the version, so the newest is kept. */
export function stylesheet(accent: string): Stylesheet {
  if (newest?.accent !== accent) {
    const css = write(accent)
    newest = { accent, css, version: sha256(css).slice(0, 12) }
  }
  return newest
}

export const stylesheetAddress = (accent: string): string => `/brand.css?v=${stylesheet(accent).version}`
