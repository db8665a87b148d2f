import { html } from 'ghtml'
import { formatDatetime } from '../lib/datetime.ts'
import type { Account, ConnectedApp } from '../storage/port.ts'
import { layout } from './layout.ts'
import { postForm, signOutForm } from './post-form.ts'

interface ConnectedAppsView {
  account: Account
  apps: ConnectedApp[]
  csrf: string
}

export const connectedAppsPage = ({ account, apps, csrf }: ConnectedAppsView): string =>
  layout(
    'Connected apps',
    html`<h1>Connected apps</h1>
      <p class="muted">You are signed in as ${account.email}.</p>
      !${apps.length === 0 ? html`<p>No app has access to your stores. When you allow one, it is listed here.</p>` : ''}
      !${apps.map(connectedApp)}
      !${signOutForm(csrf)}`,
  )

/** The button leads to a page that says what will stop; nothing ends by one press. */
const connectedApp = ({ app_id, app_name, created_at, stores }: ConnectedApp): string => html`<article>
  <h2>${app_name}</h2>
  <p class="muted">Connected since ${formatDatetime(created_at)} UTC</p>
  <ul>!${stores.map(store)}</ul>
  <form method="get" action="/account/apps/${app_id}/revoke" class="inline">
    <button type="submit" class="secondary">Revoke access</button>
  </form>
</article>`

const store = ({ name, activated_at }: ConnectedApp['stores'][number]): string => html`<li>
  ${name} <small class="muted">${activated_at === null ? 'not activated yet' : 'activated'}</small>
</li>`

export const revokePage = ({ connected, csrf }: { connected: ConnectedApp; csrf: string }): string =>
  layout(
    `Revoke ${connected.app_name}`,
    html`<h1>Revoke the access of ${connected.app_name}?</h1>
      <p>From the next moment on it can no longer read anything of these stores. What it has read already stays with
        it. To connect it again, start from the app.</p>
      <ul>!${connected.stores.map(({ name }) => html`<li>${name}</li>`)}</ul>
      !${postForm(
        `/account/apps/${connected.app_id}/revoke`,
        csrf,
        html`<div class="actions">
          <button type="submit">Revoke access</button>
          <a role="button" class="secondary" href="/account/apps">Keep it</a>
        </div>`,
      )}`,
  )
