import { html } from 'ghtml'
import type { AppConnections } from '../../../domain/apps/connected-apps.ts'
import { readScopes, writes } from '../../../domain/apps/readable.ts'
import { canRead } from '../access.view.ts'
import { type AppReads, appReadsCard } from './chart.view.ts'
import { appBadges } from '../app-parts.ts'
import { appFacts } from '../../consent/app-profile.view.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { appLogo } from '../../parts/logo.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { storeTime } from '../../parts/format/time.ts'
import { scopeList } from '../../consent/scope-list.view.ts'
import { homeZone } from '../../parts/format/store-zone.ts'
import { type StorePart, storesCard } from './stores-card.view.ts'

interface AppView {
  viewer: Viewer
  connections: AppConnections
  reads: AppReads
  part: StorePart
  /** The merchant has just changed the stores. */
  saved: boolean
}

const path = '/account/apps'

export const appPage = ({ viewer, connections, reads, part, saved }: AppView): Page => {
  const { app, own } = connections
  return layout({
    title: app.name,
    viewer,
    path: `${path}/${app.id}`,
    body: html`!${pageHeader({
      title: app.name,
      back: { href: path, label: 'Connected apps' },
      logo: appLogo(app),
      beside: appBadges(app),
      ...(own && { actions: actions(app.id) }),
    })}
    !${saved ? notice({ tone: 'good', content: { text: `Stores saved. From its next request: ${canRead(connections)}` } }) : ''}
    <div class="grid-2">
      !${card({ title: 'The app', body: appFacts(app, [sinceFact(connections)]) })}
      !${card({ title: 'What it can read', body: mayRead(connections) })}
    </div>
    !${storesCard(connections, part)}
    !${appReadsCard(connections, reads)}`,
  })
}

const actions = (
  app_id: string,
): string => html`<a class="button secondary" href="${path}/${app_id}/stores">Change stores</a>
  <form method="get" action="${path}/${app_id}/revoke"><button type="submit" class="secondary">Revoke access</button></form>`

function sinceFact({ own, linked, stores }: AppConnections) {
  const since = own?.since ?? linked?.since ?? 0
  return {
    term: 'Connected since',
    html: storeTime(since, homeZone(own?.stores ?? linked?.stores ?? stores)),
  }
}

const mayRead = (connections: AppConnections): string =>
  html`<p>${canRead(connections)} It reads:</p>
    !${scopeList(readScopes(connections.app))}
    !${writes(connections.app) ? '' : html`<p class="muted">It cannot change your orders, items or prices.</p>`}`
