import { html } from 'ghtml'
import type { Role } from '../../storage/port/index.ts'
import type { Action } from './content.ts'

/** The sections of each role, the home first. */
export const sections: Record<Role, [Action, ...Action[]]> = {
  merchant: [
    { href: '/account/apps', label: 'Connected apps' },
    { href: '/account/stores', label: 'Stores' },
    { href: '/account/activity', label: 'Activity' },
  ],
  developer: [
    { href: '/developer/apps', label: 'My apps' },
    { href: '/docs/', label: 'API reference' },
  ],
  operator: [
    { href: '/operator', label: 'Overview' },
    { href: '/operator/accounts', label: 'Accounts' },
    { href: '/operator/apps', label: 'Apps' },
    { href: '/operator/stores', label: 'Stores' },
    { href: '/operator/webhooks', label: 'Webhooks' },
    { href: '/operator/audit', label: 'Audit log' },
    { href: '/operator/settings', label: 'Settings' },
  ],
}

/** Marks the section that the page at `path` belongs to. */
export function navigation(role: Role, path: string): string {
  const current = sections[role]
    .filter(({ href }) => path === href || path.startsWith(`${href}/`))
    .sort((a, b) => b.href.length - a.href.length)[0]
  const entry = (section: Action): string => {
    const mark =
      section !== current ? '' : path === section.href ? 'aria-current="page"' : 'aria-current="true"'
    return html`<li><a href="${section.href}" !${mark}>${section.label}</a></li>`
  }
  return html`<nav class="sections" aria-label="Main"><ul>!${sections[role].map(entry)}</ul></nav>`
}
