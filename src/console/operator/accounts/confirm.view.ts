import { html } from 'ghtml'
import type { Account, App, ConnectedApp } from '../../../storage/port/index.ts'
import { layout, messagePage, type Viewer } from '../../layout.ts'
import { formatCount } from '../../parts/format/amounts.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'

const pathOf = ({ id }: Account): string => `/operator/accounts/${id}`

interface DisableView {
  viewer: Viewer
  account: Account
  /** Those of a developer that are enabled. */
  apps: readonly App[]
  /** Those that a merchant allowed. */
  connected: readonly ConnectedApp[]
}

/** The question says what ends, and what will not come back. */
export const disableAccountPage = ({ viewer, account, apps, connected }: DisableView): string =>
  layout({
    title: `Disable ${account.email}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Disable ${account.email}?</h1>
      !${confirmPanel({
        action: `${pathOf(account)}/disable`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>Whoever is signed in with it is signed out at once, and nobody can sign in with it until it is
              enabled again.</p>
            !${account.role === 'merchant' ? endsAccess(connected) : ''}`,
        },
        fields: account.role === 'developer' ? appsField(apps) : '',
        confirm: 'Disable the account',
        cancel: { href: pathOf(account), label: 'Keep it' },
        danger: true,
      })}`,
  })

const endsAccess = (connected: readonly ConnectedApp[]): string =>
  connected.length === 0
    ? html`<p>No app reads its stores on its word.</p>`
    : html`<p>${connected.length === 1 ? 'An app loses' : `${connected.length} apps lose`} the access that it allowed,
          from the next request on. Enabling the account does not bring it back: the merchant allows each app anew.</p>
        <ul>!${connected.map(
          ({ app_name, stores }) => html`<li>${app_name}: ${formatCount(stores.length, 'store')}</li>`,
        )}</ul>`

const appsField = (apps: readonly App[]): string =>
  apps.length === 0
    ? html`<p>It has no app that is enabled.</p>`
    : html`<p>Its apps work on as they are, unless they are disabled too:</p>
        <ul>!${apps.map(({ name }) => html`<li>${name}</li>`)}</ul>
        <label class="choice"><input type="checkbox" name="apps" value="yes"> <span>Also disable
          ${apps.length === 1 ? 'its app' : `its ${apps.length} apps`}
          <small>Tokens are refused from the next request on. Each is enabled again by itself.</small></span></label>`

export const enableAccountPage = ({ viewer, account }: { viewer: Viewer; account: Account }): string =>
  layout({
    title: `Enable ${account.email}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Enable ${account.email}?</h1>
      !${confirmPanel({
        action: `${pathOf(account)}/enable`,
        csrf: viewer.csrf,
        content: { html: html`<p>Its password works again. ${staysOff[account.role]}</p>` },
        confirm: 'Enable the account',
        cancel: { href: pathOf(account), label: 'Leave it disabled' },
      })}`,
  })

const staysOff: Record<Account['role'], string> = {
  merchant: 'The apps that it had allowed stay without access until it allows them again.',
  developer: 'Apps that were disabled with it stay so; each is enabled on its own page.',
  operator: 'It can do on these pages all that you can do.',
}

interface RefusedView {
  viewer: Viewer
  account: Account
  problem: string
}

export const refusedPage = ({ viewer, account, problem }: RefusedView): string =>
  messagePage('The account stays enabled', `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, {
    viewer,
    action: { href: pathOf(account), label: 'Back to the account' },
  })
