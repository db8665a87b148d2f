import { html } from 'ghtml'
import type { Account, App, ConnectedApp } from '../../../storage/port/index.ts'
import { layout, messagePage, type Page, type Viewer } from '../../layout.ts'
import { formatCount } from '../../parts/format/amounts.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'
import { capitalized } from '../../parts/format/capitalized.ts'

const pathOf = ({ id }: Account): string => `/operator/accounts/${id}`

interface DisableView {
  viewer: Viewer
  account: Account
  /** The developer's enabled apps. */
  apps: readonly App[]
  /** The apps that the merchant allowed. */
  connected: readonly ConnectedApp[]
}

/** States what ends, and what enabling the account does not restore. */
export const disableAccountPage = ({ viewer, account, apps, connected }: DisableView): Page =>
  layout({
    title: `Disable ${account.email}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Disable ${account.email}?</h1>
      !${confirmPanel({
        action: `${pathOf(account)}/disable`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>This ends every session of the account immediately. Nobody can sign in with it until you enable it
              again.</p>
            !${account.role === 'merchant' ? endsAccess(connected) : ''}`,
        },
        fields: account.role === 'developer' ? appsField(apps) : '',
        confirm: 'Disable the account',
        cancel: { href: pathOf(account), label: 'Cancel' },
        danger: true,
      })}`,
  })

const endsAccess = (connected: readonly ConnectedApp[]): string =>
  connected.length === 0
    ? html`<p>This merchant has not connected any apps.</p>`
    : html`<p>${connected.length === 1 ? 'One app loses' : `${connected.length} apps lose`} the access that this merchant
          gave, from the next request. Enabling the account does not restore it: the merchant must allow each app again.</p>
        <ul>!${connected.map(
          ({ app_name, stores }) => html`<li>${app_name}: ${formatCount(stores.length, 'store')}</li>`,
        )}</ul>`

const appsField = (apps: readonly App[]): string =>
  apps.length === 0
    ? html`<p>It has no enabled apps.</p>`
    : html`<p>Its apps keep working unless you disable them too:</p>
        <ul>!${apps.map(({ name }) => html`<li>${name}</li>`)}</ul>
        <label class="choice"><input type="checkbox" name="apps" value="yes"> <span>Also disable
          ${apps.length === 1 ? 'its app' : `its ${apps.length} apps`}
          <small>The server rejects their tokens from the next request. You enable each app again on its own page.</small></span></label>`

export const enableAccountPage = ({ viewer, account }: { viewer: Viewer; account: Account }): Page =>
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
  merchant: 'The apps that it had connected have no access until the merchant allows them again.',
  developer: 'Apps that were disabled with it stay disabled. Enable each one on its own page.',
  operator: 'On these pages it can do everything that you can do.',
}

interface RefusedView {
  viewer: Viewer
  account: Account
  problem: string
}

export const refusedPage = ({ viewer, account, problem }: RefusedView): Page =>
  messagePage('The account cannot be disabled', `${capitalized(problem)}.`, {
    viewer,
    action: { href: pathOf(account), label: 'Back to the account' },
  })
