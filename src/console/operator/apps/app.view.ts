import { html } from 'ghtml'
import { splitScope } from '../../../contract/scopes.ts'
import type { RequestChart } from '../../../domain/usage/requests.ts'
import type { ListedEndpoint } from '../../../domain/webhooks/endpoints.ts'
import type { Account, App, AppReach, AppSecret, AuditLine } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { recentEvents } from '../audit/table.view.ts'
import { withQuery } from '../../parts/with-query.ts'
import { appState } from '../state-badges.ts'
import { formatCount, formatShare } from '../../parts/format/amounts.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { copyable } from '../../parts/copyable.ts'
import { type Fact, facts } from '../../parts/facts.ts'
import { appLogo } from '../../parts/logo.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { statTiles } from '../../parts/stat-tiles.ts'
import { table } from '../../parts/table.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { milliseconds, requestsChart } from '../../parts/request-figures.ts'
import { webhooksCard } from './webhooks.view.ts'

const path = '/operator/apps'

export interface AppView {
  viewer: Viewer
  app: App
  owner: Account | null
  secrets: readonly AppSecret[]
  reach: AppReach
  requests: RequestChart
  lines: readonly AuditLine[]
  endpoints: readonly ListedEndpoint[]
  /** The operator has paused the app's webhooks. */
  paused: boolean
}

export const appPage = (view: AppView): Page => {
  const { viewer, app, secrets, reach, requests, lines, endpoints, paused } = view
  return layout({
    title: app.name,
    viewer,
    path: `${path}/${app.id}`,
    body: html`!${pageHeader({
      title: app.name,
      back: { href: path, label: 'Apps' },
      logo: appLogo(app),
      beside: appState(app),
      actions: actions(app, reach),
    })}
      !${statTiles([
        {
          label: 'Stores it can read',
          href: withQuery('/operator/stores', { app: app.id }),
          text: formatNumber(reach.stores),
          hint: allowedBy(reach),
        },
        { label: 'Requests, 30 days', text: formatNumber(requests.total.requests) },
        {
          label: 'Errors, 30 days',
          text: formatShare(
            requests.total.client_errors + requests.total.server_errors,
            requests.total.requests,
          ),
        },
        { label: 'p95, 30 days', text: milliseconds(requests.total.p95) },
      ])}
      !${card({ body: requestsChart(requests.points, '30d') })}
      !${card({ title: 'App', body: appFacts(view) })}
      !${app.public ? '' : card({ title: 'Secrets', body: secretTable(secrets) })}
      !${webhooksCard({ app, endpoints, paused })}
      !${recentEvents(lines, withQuery('/operator/audit', { app: app.id }))}`,
  })
}

const actions = ({ id, disabled_at, disabled_by_owner }: App, { stores }: AppReach): string => html`
  !${stores === 0 ? '' : html`<a class="button secondary" href="${path}/${id}/revoke">Revoke all access</a>`}
  !${disabled_at === null || disabled_by_owner ? html`<a class="button secondary" href="${path}/${id}/disable">Disable</a>` : ''}
  !${disabled_at === null ? '' : html`<a class="button" href="${path}/${id}/enable">Enable</a>`}`

const allowedBy = ({ stores, owners, linked }: AppReach): string =>
  [
    owners > 0 ? `of ${formatCount(owners, 'merchant')}` : '',
    linked && stores > 0 ? 'some linked by an operator' : '',
  ]
    .filter(text => text !== '')
    .join(', ') || 'not connected yet'

const appFacts = ({ app, owner }: AppView): string =>
  facts([
    { term: 'client_id', html: copyable({ value: app.id, id: 'client-id', what: 'client_id' }) },
    {
      term: 'Developer',
      html: owner
        ? html`<a href="/operator/accounts/${owner.id}">${owner.email}</a>`
        : 'None: it was created on the command line',
    },
    { term: 'Publisher', text: app.publisher ?? 'not stated' },
    { term: 'Website', text: app.website ?? 'not stated' },
    { term: 'Type', text: app.public ? 'Public: no secret, PKCE required' : 'Confidential: has a secret' },
    { term: 'Scopes', html: plainList(splitScope(app.scope)) },
    {
      term: 'Redirect URIs',
      html: app.redirect_uris.length === 0 ? 'None' : plainList(app.redirect_uris),
    },
    {
      term: 'Access',
      html: html`<a href="${path}/${app.id}/stores">Link stores, or end its access to some</a>`,
    },
    { term: 'Created', html: viewerTime(app.created_at) },
    ...disabled(app),
  ])

const plainList = (texts: readonly string[]): string =>
  html`<ul>!${texts.map(text => html`<li><code class="value">${text}</code></li>`)}</ul>`

const disabled = ({ disabled_at, disabled_by_owner }: App): Fact[] =>
  disabled_at === null
    ? []
    : [
        {
          term: disabled_by_owner ? 'Disabled by its developer' : 'Disabled since',
          html: viewerTime(disabled_at),
        },
      ]

const secretTable = (secrets: readonly AppSecret[]): string =>
  table<AppSecret>({
    caption: 'Secrets that work now, newest first',
    rows: secrets,
    columns: [
      { title: 'Created', html: ({ created_at }) => viewerTime(created_at) },
      {
        title: 'Last used',
        html: ({ last_used_at }) => (last_used_at === null ? 'never' : viewerTime(last_used_at)),
      },
    ],
  })
