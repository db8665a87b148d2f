import { html } from 'ghtml'
import type {
  Account,
  App,
  AuditLine,
  ConnectedApp,
  MerchantStore,
  TwoFactor,
} from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { recentEvents } from '../audit/table.view.ts'
import { withQuery } from '../../parts/with-query.ts'
import { accountState, appState } from '../state-badges.ts'
import { formatCount } from '../../parts/format/amounts.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { copyable } from '../../parts/copyable.ts'
import { facts } from '../../parts/facts.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { table } from '../../parts/table.ts'
import { viewerTime } from '../../parts/format/time.ts'

const path = '/operator/accounts'
/** More stores than this are on the list of stores only. */
const maxStores = 20

export interface AccountView {
  viewer: Viewer
  account: Account
  /** The account of the operator who looks at the page. */
  isSelf: boolean
  owned: readonly App[]
  stores: readonly MerchantStore[]
  connected: readonly ConnectedApp[]
  lines: readonly AuditLine[]
  second: TwoFactor | null
}

export const accountPage = (view: AccountView): Page => {
  const { viewer, account, isSelf, owned, stores, connected, lines, second } = view
  return layout({
    title: account.email,
    viewer,
    path: `${path}/${account.id}`,
    body: html`!${pageHeader({
      title: account.email,
      back: { href: path, label: 'Accounts' },
      beside: html`!${badge(account.role)} !${accountState(account)}`,
      actions: isSelf ? '' : html`!${passwordLink(account)}!${switchLink(account)}`,
    })}
      !${card({ title: 'Account', body: accountFacts(account, isSelf, second) })}
      !${account.role === 'developer' ? card({ title: 'Apps', body: appTable(owned) }) : ''}
      !${account.role === 'merchant' ? storeCard(account, stores) : ''}
      !${account.role === 'merchant' ? card({ title: 'Connected apps', body: connectedTable(connected) }) : ''}
      !${recentEvents(lines, withQuery('/operator/audit', { account: account.id }))}`,
  })
}

const passwordLink = ({ id, disabled_at }: Account): string =>
  disabled_at === null
    ? html`<a class="button secondary" href="${path}/${id}/password-link">Create password link</a>`
    : ''

const switchLink = ({ id, disabled_at }: Account): string =>
  disabled_at === null
    ? html`<a class="button secondary" href="${path}/${id}/disable">Disable</a>`
    : html`<a class="button" href="${path}/${id}/enable">Enable</a>`

const accountFacts = (account: Account, isSelf: boolean, second: TwoFactor | null): string =>
  facts([
    { term: 'Id', html: copyable({ value: account.id, id: 'account-id', what: 'id of the account' }) },
    { term: 'Role', text: account.role },
    { term: 'Created', html: viewerTime(account.created_at) },
    ...(account.disabled_at === null
      ? []
      : [{ term: 'Disabled since', html: viewerTime(account.disabled_at) }]),
    {
      term: 'Two-factor authentication',
      html: second
        ? html`On since !${viewerTime(second.created_at, { precision: 'day' })}
            !${isSelf ? '' : html`<a href="${path}/${account.id}/two-factor-off">Turn off</a>`}`
        : html`Off`,
    },
    ...(isSelf ? [{ term: 'Note', text: 'This is your own account. You cannot disable it.' }] : []),
  ])

const appTable = (apps: readonly App[]): string =>
  apps.length === 0
    ? html`<p class="muted">No apps.</p>`
    : table<App>({
        caption: 'Apps of the account',
        rows: apps,
        columns: [
          { title: 'Name', html: ({ id, name }) => html`<a href="/operator/apps/${id}">${name}</a>` },
          { title: 'State', html: appState },
          { title: 'Created', html: ({ created_at }) => viewerTime(created_at, { precision: 'day' }) },
        ],
      })

const storeCard = ({ email }: Account, stores: readonly MerchantStore[]): string =>
  card({
    title: 'Stores',
    beside:
      stores.length > maxStores
        ? html`<a href="${withQuery('/operator/stores', { q: email })}">All ${formatCount(stores.length, 'store')}</a>`
        : '',
    body:
      stores.length === 0
        ? html`<p class="muted">None. The platform has not sent any stores for this merchant.</p>`
        : table<MerchantStore>({
            caption: 'Stores of the merchant',
            rows: stores.slice(0, maxStores),
            columns: [
              { title: 'Name', html: ({ id, name }) => html`<a href="/operator/stores/${id}">${name}</a>` },
              { title: 'Id', text: ({ id }) => String(id) },
              { title: 'Time zone', text: ({ timezone }) => timezone },
            ],
          }),
  })

const connectedTable = (connected: readonly ConnectedApp[]): string =>
  connected.length === 0
    ? html`<p class="muted">None.</p>`
    : table<ConnectedApp>({
        caption: 'Apps that the merchant allows',
        rows: connected,
        columns: [
          { title: 'App', html: one => html`<a href="/operator/apps/${one.app_id}">${one.app_name}</a>` },
          { title: 'Stores', text: ({ stores }) => formatCount(stores.length, 'store') },
          { title: 'Since', html: ({ created_at }) => viewerTime(created_at, { precision: 'day' }) },
        ],
      })
