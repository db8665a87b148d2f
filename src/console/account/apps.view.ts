import { html } from 'ghtml'
import {
  type AppConnections,
  type Connection,
  type Connections,
  isRead,
} from '../../domain/apps/connected-apps.ts'
import type { ReadCounts } from '../../storage/port/index.ts'
import { canRead, canReadByLink } from './access.view.ts'
import { appBadges } from './app-parts.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { formatCount } from '../parts/format/amounts.ts'
import { badge } from '../parts/badge.ts'
import { emptyState } from '../parts/empty-state.ts'
import { type Fact, facts } from '../parts/facts.ts'
import { appLogo } from '../parts/logo.ts'
import { notice } from '../parts/notice.ts'
import { pageHeader } from '../parts/page-header.ts'
import { storeTime } from '../parts/format/time.ts'
import { homeZone } from '../parts/format/store-zone.ts'
import { storeNames, storesInWords } from '../parts/format/store-name.ts'

const path = '/account/apps'

/** The app that the merchant has just revoked, as far as it is still connected; `all` when it is not. */
export type Revoked = AppConnections | 'all' | null

interface ConnectedAppsView {
  viewer: Viewer
  connections: Connections
  /** By app, of all its reads of any of the merchant's stores, also those that it can no longer read. */
  reads: ReadonlyMap<string, ReadCounts>
  revoked: Revoked
}

export const connectedAppsPage = ({ viewer, connections, reads, revoked }: ConnectedAppsView): Page =>
  layout({
    title: 'Connected apps',
    viewer,
    path,
    body: html`!${pageHeader({
      title: 'Connected apps',
      lead: {
        text: 'Apps that can read data from your stores. You can revoke the access you gave at any time.',
      },
    })}
      !${revoked === null ? '' : revokedNotice(revoked)}
      !${
        connections.own.length === 0
          ? nothing(connections)
          : connections.own
              .map(one => connectedApp(one, connections, reads, { level: 2, beside: revokeForm(one) }))
              .join('')
      }
      !${connections.linked.length === 0 ? '' : linkedApps(connections, reads)}`,
  })

const nothing = ({ stores, linked }: Connections): string =>
  emptyState({
    title: linked.length === 0 ? 'No app has access to your stores' : 'You have not allowed any app yourself',
    content: {
      text:
        stores.length === 0
          ? 'Your account has no stores yet: ask your point-of-sale platform to register them for your email address.'
          : 'To connect an app, start in the app: it sends you here to allow it.',
    },
  })

/** Not a success when the app reads on: the merchant probably expects it to stop. */
const revokedNotice = (revoked: AppConnections | 'all'): string =>
  revoked === 'all'
    ? notice({ tone: 'good', content: { text: 'Access revoked. The app can no longer read your stores.' } })
    : notice({
        tone: 'warn',
        title: 'Access revoked, but some access stays',
        content: { text: canReadByLink(revoked) },
      })

const linkedApps = (connections: Connections, reads: ConnectedAppsView['reads']): string =>
  html`<h2>Connected by your platform’s operator</h2>
    <p class="muted">The operator of your point-of-sale platform gave these apps access. To end it, ask the operator.</p>
    !${connections.linked.map(one => connectedApp(one, connections, reads, { level: 3, beside: '' })).join('')}`

/** The id of the card's heading. A merchant has at most one connection of their own for each app. */
const headingOf = ({ app }: Connection): string => html`own-${app.id}`

/** Leads to a page that says what stops and asks for confirmation. */
const revokeForm = (one: Connection): string => html`<form method="get" action="${path}/${one.app.id}/revoke">
  <button type="submit" class="secondary small" aria-describedby="!${headingOf(one)}">Revoke access</button>
</form>`

const connectedApp = (
  one: Connection,
  connections: Connections,
  reads: ConnectedAppsView['reads'],
  { level, beside }: { level: 2 | 3; beside: string },
): string =>
  html`<section class="card">
    <div class="card-header">
      <div>
        !${appLogo(one.app)}<h!${level} !${beside === '' ? '' : html`id="!${headingOf(one)}"`}><a href="${path}/${one.app.id}">${one.app.name}</a></h!${level}>
        !${appBadges(one.app)}!${one.new_scopes.length === 0 ? '' : badge('Asks for more', 'info')}
      </div>
      !${beside}
    </div>
    !${storesLine(one, connections)}
    !${facts(factsOf(one, reads.get(one.app.id)), { across: true })}
  </section>`

/** With the app's whole access, where the operator connected it too. */
function storesLine(one: Connection, { stores, own, linked }: Connections): string {
  const isSame = ({ app }: Connection): boolean => app.id === one.app.id
  const both = own.some(isSame) && linked.find(isSame)
  const read = one.stores.filter(isRead)
  const words = read.length === 0 ? 'None of your stores' : storesInWords(read, storeNames(stores))
  const also =
    both && own.includes(one)
      ? html`<p>Your platform’s operator connected it too. ${canRead({ app: one.app, stores, own: one, linked: both })}</p>`
      : ''
  return html`<p>${words} !${activation(read)}</p>!${also}`
}

function factsOf({ app, since, stores }: Connection, reads: ReadCounts | undefined): Fact[] {
  const zone = homeZone(stores)
  const { orders = 0, items = 0 } = reads ?? {}
  return [
    { term: 'Connected since', html: storeTime(since, zone) },
    {
      term: 'Last read',
      ...(reads ? { html: storeTime(reads.last_at, zone) } : { text: 'Never' }),
    },
    {
      term: 'Read in total',
      text: `${formatCount(orders, 'order')} and ${formatCount(items, 'item')}`,
    },
    ...(app.publisher === null ? [] : [{ term: 'Made by', text: app.publisher }]),
  ]
}

/** Whether the app has activated its stores. */
function activation(stores: Connection['stores']): string {
  const activated = stores.filter(({ activated_at }) => activated_at !== null).length
  if (stores.length === 0) return ''
  if (activated === 0) return badge('Not activated yet')
  if (activated === stores.length) return badge('Activated', 'good')
  return badge(`Activated for ${activated} of ${stores.length}`)
}
