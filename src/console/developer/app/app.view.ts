import { html } from 'ghtml'
import { isScope, scopes, splitScope } from '../../../contract/scopes.ts'
import type { App, AppReach, AppSecret } from '../../../storage/port/index.ts'
import { appFrame, appsPath } from './frame.view.ts'
import { secretTimes } from './secrets.view.ts'
import { type Usage, usageSection } from './usage.view.ts'
import type { Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { copyable } from '../../parts/copyable.ts'
import { type Fact, facts } from '../../parts/facts.ts'
import { notice } from '../../parts/notice.ts'
import { formatTime, viewerTime } from '../../parts/format/time.ts'
import { postForm } from '../../parts/form/post-form.ts'

/** What was done on the page before this one. */
const outcomes = {
  saved: 'The changes are saved.',
  retired: 'The secret is retired: it gets no token any more.',
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

export const appPage = ({ viewer, app, secrets, reach, usage, done }: AppView): string =>
  appFrame({
    viewer,
    app,
    tab: '',
    body: html`!${done === null ? '' : notice({ tone: 'good', content: { text: outcomes[done] } })}
      !${disabledNote(app, viewer)}
      <div class="grid-2">
        !${card({ title: 'Settings', body: facts(settings(app)) })}
        <div>!${secretsCard(app, secrets)}!${connectedCard(reach)}!${app.disabled_at === null ? disableCard(app) : ''}</div>
      </div>
      !${usageSection(app, usage)}`,
  })

const settings = (app: App): Fact[] => [
  { term: 'client_id', html: copyable({ value: app.id, id: 'client-id', what: 'client_id' }) },
  { term: 'Kind', text: app.public ? 'Public: no secret, PKCE required' : 'Confidential: has a secret' },
  // No link: whoever registers a site here would get one from a page of ours.
  { term: 'Website', text: app.website ?? 'None' },
  { term: 'Publisher', text: app.publisher ?? 'None' },
  { term: 'Scopes', html: html`<ul>!${splitScope(app.scope).map(scopeLine)}</ul>` },
  {
    term: 'Redirect URIs',
    html:
      app.redirect_uris.length === 0
        ? 'None: merchants cannot connect it by themselves'
        : html`<ul>!${app.redirect_uris.map(uri => html`<li><code class="value">${uri}</code></li>`)}</ul>`,
  },
  { term: 'Created', html: viewerTime(app.created_at) },
]

const scopeLine = (scope: string): string =>
  html`<li>${scope} <small>${isScope(scope) ? scopes[scope].gives : ''}</small></li>`

/** How many, and not who: merchants allow an app, not its developer to look them up. */
function connectedCard({ merchants, stores, linked }: AppReach): string {
  const some = (count: number, noun: string): string =>
    `${formatNumber(count)} ${count === 1 ? noun : `${noun}s`}`
  const by = merchants === 0 ? '' : ` of ${some(merchants, 'merchant')}`
  const also = linked ? (merchants === 0 ? ', linked by the operator' : ', some linked by the operator') : ''
  return card({
    title: 'Connected',
    body:
      stores === 0 && merchants === 0
        ? html`<p>No store yet. Send a merchant to <code>/auth/v2/authorize</code> with the app’s client_id and a
            redirect URI: the <a href="/docs/">API reference</a> has the parameters.</p>`
        : html`<p><strong>${some(stores, 'store')}</strong>${by}${also}. Which ones,
            <code>GET /integration/v1/stores</code> tells the app.</p>`,
  })
}

const secretsCard = (app: App, secrets: AppSecret[]): string =>
  card({
    title: 'Secrets',
    beside: app.public
      ? ''
      : html`<a class="button secondary small" href="${appsPath}/${app.id}/rotate">Rotate the secret</a>`,
    body: app.public
      ? html`<p>None: the app is public and proves itself by PKCE.</p>`
      : html`!${secrets.length > 1 ? html`<p>Two work now. Retire the old one once nothing uses it any more.</p>` : ''}
        !${secretList(app, secrets)}`,
  })

/** The last secret has no way to be retired: the app would be locked out. */
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
    body: html`<p>A disabled app gets no token, and those it has are refused. You can enable it again.</p>`,
  })

function disabledNote({ id, disabled_at, disabled_by_owner }: App, { csrf }: Viewer): string {
  if (disabled_at === null) return ''
  const effect = 'it gets no tokens, and those it has are refused.'
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
