import { html } from 'ghtml'
import { type AppConnections, storesOf } from '../../../domain/apps/connected-apps.ts'
import { splitScope } from '../../../contract/scopes.ts'
import { canRead } from '../access.view.ts'
import { type AppReads, appReadsCard } from './chart.view.ts'
import { appBadges } from '../app-parts.ts'
import { appAddress, appFacts } from '../../consent/app-profile.view.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { appLogo } from '../../parts/logo.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { storeTime } from '../../parts/format/time.ts'
import { changesInWords, scopeList } from '../../consent/scope-list.view.ts'
import { storeNames, storesInWords } from '../../parts/format/store-name.ts'
import { homeZone } from '../../parts/format/store-zone.ts'
import type { StorePart } from '../store-part.view.ts'
import { type LastReads, storesCard } from './stores-card.view.ts'

interface AppView {
  viewer: Viewer
  connections: AppConnections
  reads: AppReads
  last: LastReads
  part: StorePart
  /** The merchant has just changed the stores. */
  saved: boolean
}

const path = '/account/apps'

export const appPage = ({ viewer, connections, reads, last, part, saved }: AppView): Page => {
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
    !${asksForMore(connections)}
    <div class="grid-2">
      !${card({ title: 'The app', body: appFacts(app, [sinceFact(connections)]) })}
      !${card({ title: 'What it can read', body: mayRead(connections) })}
    </div>
    !${storesCard(connections, last, part)}
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

/** A scope that does not cover every store, because it was added later, names those that it covers. */
function mayRead(connections: AppConnections): string {
  const stores = storesOf(connections)
  const names = storeNames(connections.stores)
  const scopes = [...new Set(stores.flatMap(store => store.scopes))]
  const note = (scope: string): string => {
    const covered = stores.filter(store => store.scopes.includes(scope))
    return covered.length === stores.length ? '' : ` (only of ${storesInWords(covered, names)})`
  }
  return html`<p>${canRead(connections)}!${scopes.length === 0 ? '' : ' It reads:'}</p>
    !${scopes.length === 0 ? '' : scopeList(scopes, { note })}
    <p class="muted">${changesInWords(splitScope(connections.app.scope))}</p>`
}

/** The app has scopes that it did not have when the merchant allowed it. */
function asksForMore({ app, own }: AppConnections): string {
  if (!own || own.new_scopes.length === 0 || app.disabled_at !== null) return ''
  const address = appAddress(app)
  const start =
    address === null
      ? html`start in the app`
      : html`start in the app, at <a href="${address}">${new URL(address).host}</a>,`
  return notice({
    tone: 'info',
    title: `${app.name} asks for more than you allowed`,
    content: {
      html: html`<p>It would also like to read:</p>
        !${scopeList(own.new_scopes)}
        <p>To allow it, !${start} and connect it again. Until you do, your permission covers only what you allowed before.</p>`,
    },
  })
}
