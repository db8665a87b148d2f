import { html } from 'ghtml'
import { type App, type Brand, platformOwner } from '../../storage/port/index.ts'

const logoAddress = (owner_id: string, version: string): string =>
  html`/logos/${encodeURIComponent(owner_id)}?v=${encodeURIComponent(version)}`

export const platformLogoAddress = (version: string): string => logoAddress(platformOwner, version)

/** Null without one. Names stand beside logos, so a logo has no text of its own. */
export const platformLogo = ({ logo }: Brand): string | null =>
  logo === null ? null : html`<img class="logo" src="!${platformLogoAddress(logo)}" alt="">`

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** An app's logo, or the first letter of its name. */
export function appLogo({ id, name, logo }: Pick<App, 'id' | 'name' | 'logo'>): string {
  if (logo !== null) return html`<img class="logo app" src="!${logoAddress(id, logo)}" alt="">`
  const [first] = graphemes.segment(name)
  return html`<span class="logo app initial" aria-hidden="true">${first?.segment.toUpperCase() ?? ''}</span>`
}
