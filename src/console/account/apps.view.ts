import { html } from 'ghtml'
import type { Connection, Connections } from '../../domain/apps/connected-apps.ts'
import type { DayOfReads } from '../../domain/usage/reads.ts'
import { appBadges, storesInWords } from './app-parts.ts'
import { layout, type Viewer } from '../layout.ts'
import { formatCount } from '../parts/format/amounts.ts'
import { badge } from '../parts/badge.ts'
import { emptyState } from '../parts/empty-state.ts'
import { type Fact, facts } from '../parts/facts.ts'
import { notice } from '../parts/notice.ts'
import { pageHeader } from '../parts/page-header.ts'
import { storeTime } from '../parts/format/time.ts'
import { homeZone } from '../parts/format/store-zone.ts'

const path = '/account/apps'

interface ConnectedAppsView {
  viewer: Viewer
  connections: Connections
  /** By app: the days that the summary adds up. */
  reads: ReadonlyMap<string, readonly DayOfReads[]>
  /** The merchant has just revoked an app. */
  revoked: boolean
}

export const connectedAppsPage = ({ viewer, connections, reads, revoked }: ConnectedAppsView): string =>
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
      !${revoked ? notice({ tone: 'good', content: { text: 'Access revoked. From its next request, the app no longer has the access you gave it.' } }) : ''}
      !${
        connections.own.length === 0
          ? nothing(connections)
          : connections.own
              .map(one => connectedApp(one, reads, { level: 2, beside: revokeForm(one) }))
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

const linkedApps = ({ linked }: Connections, reads: ConnectedAppsView['reads']): string =>
  html`<h2>Connected by your platform’s operator</h2>
    <p class="muted">The operator of your point-of-sale platform gave these apps access. To end it, ask the operator.</p>
    !${linked.map(one => connectedApp(one, reads, { level: 3, beside: '' })).join('')}`

/** The id of the card's heading. A merchant has at most one connection of their own for each app. */
const headingOf = ({ app }: Connection): string => html`own-${app.id}`

/** Leads to a page that says what stops and asks for confirmation. */
const revokeForm = (one: Connection): string => html`<form method="get" action="${path}/${one.app.id}/revoke">
  <button type="submit" class="secondary small" aria-describedby="!${headingOf(one)}">Revoke access</button>
</form>`

const connectedApp = (
  one: Connection,
  reads: ConnectedAppsView['reads'],
  { level, beside }: { level: 2 | 3; beside: string },
): string =>
  html`<section class="card">
    <div class="card-header">
      <div>
        <h!${level} !${beside === '' ? '' : html`id="!${headingOf(one)}"`}><a href="${path}/${one.app.id}">${one.app.name}</a></h!${level}>
        !${appBadges(one.app)}
      </div>
      !${beside}
    </div>
    !${storesLine(one)}
    !${facts(factsOf(one, reads.get(one.app.id) ?? []), { across: true })}
  </section>`

const storesLine = ({ stores }: Connection): string =>
  html`<p>${stores.length === 0 ? 'No stores left' : storesInWords(stores)} !${activation(stores)}</p>`

function factsOf({ app, since, stores, last_read_at }: Connection, days: readonly DayOfReads[]): Fact[] {
  const zone = homeZone(stores)
  const sum = (what: 'orders' | 'items') => days.reduce((total, day) => total + day[what], 0)
  return [
    { term: 'Connected since', html: storeTime(since, zone) },
    {
      term: 'Last read',
      ...(last_read_at === null ? { text: 'Never' } : { html: storeTime(last_read_at, zone) }),
    },
    {
      term: 'In the last 30 days',
      text: `${formatCount(sum('orders'), 'order')} and ${formatCount(sum('items'), 'item')}`,
    },
    ...(app.publisher === null ? [] : [{ term: 'Made by', text: app.publisher }]),
  ]
}

/** Whether the app has activated its stores. */
function activation(stores: Connection['stores']): string {
  const activated = stores.filter(({ activated_at }) => activated_at !== null).length
  if (stores.length === 0) return badge('No access', 'warn')
  if (activated === 0) return badge('Not activated yet')
  if (activated === stores.length) return badge('Activated', 'good')
  return badge(`Activated for ${activated} of ${stores.length}`)
}
