import { html } from 'ghtml'
import { isScope, scopes, splitScope } from '../../../contract/scopes.ts'
import type { App, AppReach, AppSecret } from '../../../storage/port/index.ts'
import { appFrame, appsPath } from './frame.view.ts'
import { secretTimes } from './secrets.view.ts'
import { type Usage, usageSection } from './usage.view.ts'
import type { Page, Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { copyable } from '../../parts/copyable.ts'
import { type Fact, facts } from '../../parts/facts.ts'
import { notice } from '../../parts/notice.ts'
import { formatTime, viewerTime } from '../../parts/format/time.ts'
import { postForm } from '../../parts/form/post-form.ts'

/** The change that led to this page. */
const outcomes = {
  saved: 'Changes saved.',
  logo: 'Logo saved. Merchants see it from now on.',
  no_logo: 'Logo removed.',
  widened:
    'Changes saved. Merchants must connect the app again before it can use the new scopes. Send them its link.',
  retired: 'Secret retired. It can no longer be used to get tokens.',
  disabled: 'The app is disabled.',
  enabled: 'The app is enabled.',
}

export type Outcome = keyof typeof outcomes
export const isOutcome = (name: unknown): name is Outcome =>
  typeof name === 'string' && Object.hasOwn(outcomes, name)

interface AppView {
  viewer: Viewer
  app: App
  secrets: AppSecret[]
  reach: AppReach
  usage: Usage
  done: Outcome | null
}

export const appPage = ({ viewer, app, secrets, reach, usage, done }: AppView): Page =>
  appFrame({
    viewer,
    app,
    tab: '',
    body: html`!${done === null ? '' : notice({ tone: 'good', content: { text: outcomes[done] } })}
      !${disabledNote(app, viewer)}
      <div class="grid-2">
        !${card({ title: 'Settings', body: facts(settings(app)) })}
        <div>!${secretsCard(app, secrets)}!${connectedCard(app, reach)}!${app.disabled_at === null ? disableCard(app) : ''}</div>
      </div>
      !${usageSection(app, usage)}`,
  })

const settings = (app: App): Fact[] => [
  { term: 'client_id', html: copyable({ value: app.id, id: 'client-id', what: 'client_id' }) },
  { term: 'Type', text: app.public ? 'Public: no secret, PKCE required' : 'Confidential: has a secret' },
  // Not a link, so that registering an app does not give a site a link from this server.
  { term: 'Website', text: app.website ?? 'None' },
  { term: 'Publisher', text: app.publisher ?? 'None' },
  {
    term: 'Logo',
    html: html`${app.logo === null ? 'None' : ''} <a href="${appsPath}/${app.id}/logo">${app.logo === null ? 'Add a logo' : 'Change or remove'}</a>`,
  },
  { term: 'Scopes', html: html`<ul>!${splitScope(app.scope).map(scopeLine)}</ul>` },
  {
    term: 'Redirect URIs',
    html:
      app.redirect_uris.length === 0
        ? 'None, so merchants cannot connect it themselves'
        : html`<ul>!${app.redirect_uris.map(uri => html`<li><code class="value">${uri}</code></li>`)}</ul>`,
  },
  { term: 'Created', html: viewerTime(app.created_at) },
]

const scopeLine = (scope: string): string =>
  html`<li>${scope} <small>${isScope(scope) ? scopes[scope].gives : ''}</small></li>`

/** Counts without names: merchants allow the app, and do not show themselves to its developer. */
function connectedCard(app: App, { owners, merchants, stores, linked }: AppReach): string {
  const some = (count: number, noun: string): string =>
    `${formatNumber(count)} ${count === 1 ? noun : `${noun}s`}`
  const by = owners === 0 ? '' : ` of ${some(owners, 'merchant')}`
  const also = linked ? (merchants === 0 ? ', linked by the operator' : ', some linked by the operator') : ''
  return card({
    title: 'Connected',
    body:
      stores === 0 && merchants === 0
        ? app.redirect_uris.length === 0
          ? html`<p>No stores yet. The app has no redirect URI, so merchants cannot connect it themselves.
              <a href="${appsPath}/${app.id}/edit">Add a redirect URI</a>, or ask the operator to link stores.</p>`
          : html`<p>No stores yet. <a href="${appsPath}/${app.id}/connect">Get the link</a> by which merchants connect the
              app.</p>`
        : html`<p><strong>${some(stores, 'store')}</strong>${by}${also}.
            <code>GET /integration/v1/stores</code> lists them.</p>`,
  })
}

const secretsCard = (app: App, secrets: AppSecret[]): string =>
  card({
    title: 'Secrets',
    beside: app.public
      ? ''
      : html`<a class="button secondary small" href="${appsPath}/${app.id}/rotate">Rotate the secret</a>`,
    body: app.public
      ? html`<p>None. The app is public and uses PKCE instead.</p>`
      : html`!${secrets.length > 1 ? html`<p>Two secrets work now. Retire the old one when nothing uses it any more.</p>` : ''}
        !${secretList(app, secrets)}`,
  })

/** The last secret cannot be retired, because the app could not get tokens any more. */
const secretList = (app: App, secrets: AppSecret[]): string =>
  html`<ul class="plain rows">!${secrets.map(
    secret => html`<li>
      <span>!${secretTimes(secret)}</span>
      !${
        secrets.length > 1
          ? html`<a href="${appsPath}/${app.id}/secrets/${secret.id}/retire"
            aria-label="Retire the secret created ${formatTime(secret.created_at, 'UTC')} UTC">Retire</a>`
          : ''
      }
    </li>`,
  )}</ul>`

const disableCard = (app: App): string =>
  card({
    title: 'Disable',
    beside: html`<a class="button secondary small" href="${appsPath}/${app.id}/disable">Disable the app</a>`,
    body: html`<p>A disabled app gets no tokens, and the server rejects those it has. You can enable it again.</p>`,
  })

function disabledNote({ id, disabled_at, disabled_by_owner }: App, { csrf }: Viewer): string {
  if (disabled_at === null) return ''
  const effect = 'it gets no tokens, and the server rejects those it has.'
  return disabled_by_owner
    ? notice({
        tone: 'warn',
        content: {
          html: html`<p>You disabled this app on !${viewerTime(disabled_at)}: ${effect}</p>
            !${postForm(`${appsPath}/${id}/enable`, csrf, html`<button type="submit" class="small">Enable the app</button>`)}`,
        },
      })
    : notice({
        tone: 'bad',
        content: {
          html: html`Disabled by the operator since !${viewerTime(disabled_at)}: ${effect} Only the operator can
            enable it again.`,
        },
      })
}
