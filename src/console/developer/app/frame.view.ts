import { html } from 'ghtml'
import type { App } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { badge } from '../../parts/badge.ts'
import { appLogo } from '../../parts/logo.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { tabs } from '../../parts/tabs.ts'

export const appsPath = '/developer/apps'

interface AppFrame {
  viewer: Viewer
  app: App
  /** Appended to the app's address; empty for its first page. */
  tab: '' | '/connect' | '/requests' | '/webhooks' | '/activity'
  /** HTML. */
  body: string
}

const tabNames = {
  '': 'Overview',
  '/connect': 'Connect',
  '/requests': 'Requests',
  '/webhooks': 'Webhooks',
  '/activity': 'Activity',
}

/** The header and the tabs of the pages of one app. */
export function appFrame({ viewer, app, tab, body }: AppFrame): Page {
  const own = `${appsPath}/${app.id}`
  return layout({
    title: tab === '' ? app.name : `${tabNames[tab]} of ${app.name}`,
    viewer,
    path: own,
    body: html`!${pageHeader({
      title: app.name,
      back: { href: appsPath, label: 'My apps' },
      logo: appLogo(app),
      beside: stateBadges(app),
      actions: html`<a class="button secondary" href="${own}/edit">Edit</a>
        <a class="button" href="${own}/try">Try it</a>`,
    })}
    !${tabs({
      label: 'Pages of this app',
      current: own + tab,
      entries: Object.entries(tabNames).map(([path, label]) => ({ href: own + path, label })),
    })}
    !${body}`,
  })
}

export function stateBadges({ disabled_at, disabled_by_owner, public: isPublic }: App): string {
  const kind = isPublic ? ` ${badge('Public')}` : ''
  if (disabled_at === null) return badge('Enabled', 'good') + kind
  return (disabled_by_owner ? badge('Disabled', 'warn') : badge('Disabled by the operator', 'bad')) + kind
}
