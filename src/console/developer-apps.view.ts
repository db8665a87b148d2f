import { html } from 'ghtml'
import { isScope, scopes, splitScope } from '../contract/scopes.ts'
import { formatDatetime } from '../lib/datetime.ts'
import type { Account, App, AppSecret } from '../storage/port.ts'
import { secretTimes } from './developer-secrets.view.ts'
import { layout } from './layout.ts'
import { signOutForm } from './post-form.ts'

interface MyAppsView {
  account: Account
  apps: App[]
  csrf: string
}

export const myAppsPage = ({ account, apps, csrf }: MyAppsView): string =>
  layout(
    'My apps',
    html`<h1>My apps</h1>
      <p class="muted">You are signed in as ${account.email}.</p>
      !${apps.length === 0 ? html`<p>You have no apps yet. Create one to get a client_id and a secret, then see the <a href="/docs/">API reference</a>.</p>` : ''}
      <p><a role="button" href="/developer/apps/new">Create an app</a></p>
      !${apps.map(
        app => html`<article>
          <h2><a href="/developer/apps/${app.id}">${app.name}</a></h2>
          !${disabledNote(app)}
          !${facts(app)}
        </article>`,
      )}
      !${signOutForm(csrf)}`,
  )

export const appPage = ({ app, secrets }: { app: App; secrets: AppSecret[] }): string =>
  layout(
    app.name,
    html`<p class="back"><a href="/developer/apps">My apps</a></p>
      <h1>${app.name}</h1>
      !${disabledNote(app)}
      !${facts(app)}
      <h2>Secrets</h2>
      !${app.public ? html`<p>None: the app is public and proves itself by PKCE.</p>` : secretList(app, secrets)}`,
  )

const facts = (app: App): string => html`<dl>
  <dt>client_id</dt>
  <dd><code class="value">${app.id}</code></dd>
  <dt>Kind</dt>
  <dd>${app.public ? 'Public: no secret, PKCE required' : 'Confidential: has a secret'}</dd>
  <dt>Scopes</dt>
  <dd><ul>!${splitScope(app.scope).map(scopeLine)}</ul></dd>
  <dt>Redirect URIs</dt>
  <dd>!${app.redirect_uris.length === 0 ? 'None: merchants cannot connect it by themselves' : html`<ul>!${app.redirect_uris.map(uri => html`<li class="value">${uri}</li>`)}</ul>`}</dd>
  <dt>Created</dt>
  <dd>${formatDatetime(app.created_at)} UTC</dd>
</dl>`

const scopeLine = (scope: string): string =>
  html`<li>${scope} <small class="muted">${isScope(scope) ? scopes[scope].gives : ''}</small></li>`

const disabledNote = ({ disabled_at }: App): string =>
  disabled_at === null
    ? ''
    : html`<p class="problem">Disabled by the operator since ${formatDatetime(disabled_at)} UTC: it gets no tokens, and
        those it has are refused.</p>`

/** The last secret has no way to be retired: the app would be locked out. */
const secretList = (app: App, secrets: AppSecret[]): string => html`<ul>!${secrets.map(
  secret => html`<li>
      !${secretTimes(secret)}
      !${
        secrets.length > 1
          ? html`<br><a href="/developer/apps/${app.id}/secrets/${secret.id}/retire"
            aria-label="Retire the secret created ${formatDatetime(secret.created_at)} UTC">Retire</a>`
          : ''
      }
    </li>`,
)}</ul>
  <p><a role="button" class="secondary" href="/developer/apps/${app.id}/rotate">Rotate the secret</a></p>`

export const wrongRolePage = ({ account, csrf }: { account: Account; csrf: string }): string =>
  layout(
    'This page is for developers',
    html`<h1>This page is for developers</h1>
      <p>You are signed in as ${account.email}, which is a ${account.role} account. Apps are registered by developer
        accounts.</p>
      !${account.role === 'merchant' ? html`<p>The apps that can access your stores are under <a href="/account/apps">Connected apps</a>.</p>` : ''}
      !${signOutForm(csrf)}`,
  )
