import { html } from 'ghtml'
import { splitScope } from '../../../contract/scopes.ts'
import type { AppConnections, ConnectedStore, Connection } from '../../../domain/apps/connected-apps.ts'
import { type AppReads, appReadsCard } from './chart.view.ts'
import { appBadges } from '../app-parts.ts'
import { appFacts } from '../../consent/app-profile.view.ts'
import { layout, type Viewer } from '../../layout.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { table } from '../../parts/table.ts'
import { storeTime } from '../../parts/format/time.ts'
import { scopeList } from '../../consent/scope-list.view.ts'
import { homeZone } from '../../parts/format/store-zone.ts'

interface AppView {
  viewer: Viewer
  connections: AppConnections
  reads: AppReads
  /** The merchant has just changed the stores. */
  saved: boolean
}

const path = '/account/apps'

export const appPage = ({ viewer, connections, reads, saved }: AppView): string => {
  const { app, own, linked } = connections
  return layout({
    title: app.name,
    viewer,
    path: `${path}/${app.id}`,
    body: html`!${pageHeader({
      title: app.name,
      back: { href: path, label: 'Connected apps' },
      beside: appBadges(app),
      ...(own && { actions: actions(app.id) }),
    })}
    !${saved ? notice({ tone: 'good', content: { text: 'Stores saved. The change applies from the app’s next request.' } }) : ''}
    <div class="grid-2">
      !${card({ title: 'The app', body: appFacts(app, [sinceFact(connections)]) })}
      !${card({ title: 'What it can read', body: mayRead(connections) })}
    </div>
    !${own ? card({ title: 'Stores you allow it to read', body: storeTable(own, 'None. Change the stores to allow some.') }) : ''}
    !${linked ? card({ title: 'Connected by your platform’s operator', body: linkedStores(linked) }) : ''}
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

/** A public app cannot use client_credentials, so it has the scope of a merchant's consent and no other. */
const mayRead = ({ app }: AppConnections): string =>
  html`!${scopeList(app.public ? ['integration.store'] : splitScope(app.scope))}
    <p class="muted">For the stores on this page and no others. It cannot change your orders, items or prices.</p>`

const linkedStores = (linked: Connection): string =>
  html`<p>The operator of your point-of-sale platform gave it access to these stores. To end that, ask the operator.</p>
    !${storeTable(linked, 'None')}`

function storeTable({ stores }: Connection, none: string): string {
  if (stores.length === 0) return html`<p>${none}</p>`
  return table<ConnectedStore>({
    caption: 'Stores',
    rows: stores,
    columns: [
      { title: 'Store', text: ({ name }) => name },
      { title: 'Since', html: ({ since, timezone }) => storeTime(since, timezone) },
      {
        title: 'Activated',
        html: ({ activated_at, timezone }) =>
          activated_at === null ? badge('Not yet') : storeTime(activated_at, timezone),
      },
      {
        title: 'Last read',
        html: ({ last_read_at, timezone }) =>
          last_read_at === null ? html`<span class="muted">Never</span>` : storeTime(last_read_at, timezone),
      },
    ],
  })
}
