import { html } from 'ghtml'
import { formatDatetime } from '../lib/datetime.ts'
import type { App, AppSecret } from '../storage/port.ts'
import { layout } from './layout.ts'
import { postForm } from './post-form.ts'

export const secretTimes = ({ created_at, last_used_at }: AppSecret): string =>
  html`Created ${formatDatetime(created_at)} UTC,
    ${last_used_at === null ? 'never used' : `last used ${formatDatetime(last_used_at)} UTC`}`

const headings = { created: 'is created', rotated: 'has a new secret' }

interface SecretView {
  app: App
  /** Null for a public app. */
  client_secret: string | null
  what: keyof typeof headings
}

/** The only page that ever holds a secret. It is the answer to a form, so it has no address to come back to. */
export const secretPage = ({ app, client_secret, what }: SecretView): string =>
  layout(
    `${app.name} ${headings[what]}`,
    html`<h1>${app.name} ${headings[what]}</h1>
      <dl>
        <dt>client_id</dt>
        <dd><code class="value">${app.id}</code></dd>
        !${client_secret === null ? '' : html`<dt>client_secret</dt><dd><code class="value">${client_secret}</code></dd>`}
      </dl>
      !${
        client_secret === null
          ? html`<p>It is public, so it has no secret: use PKCE with S256 when you ask merchants to connect it.</p>`
          : html`<p><strong>Copy the secret now: it is shown this once.</strong> Only its hash is kept, so nobody can
              look it up later. Keep it on your server, out of code and repositories.</p>`
      }
      !${what === 'rotated' ? html`<p>The secret before it goes on working. Retire it once nothing uses it any more.</p>` : ''}
      <p><a role="button" href="/developer/apps/${app.id}">${client_secret === null ? 'Go on' : 'I have copied it'}</a></p>`,
  )

/** A reload, a double click or an old tab. */
export const sentAlreadyPage = (back: string): string =>
  layout(
    'This form was used already',
    html`<h1>This form was used already</h1>
      <p>What it asked for is done, and nothing was done a second time. A secret is shown once only: if you did not
        copy it, rotate the secret to get another one.</p>
      <p><a role="button" href="${back}">Go on</a></p>`,
  )

interface RotateView {
  app: App
  /** Newest first. */
  secrets: AppSecret[]
  csrf: string
}

export function rotatePage({ app, secrets, csrf }: RotateView): string {
  const [newest, ...older] = secrets
  return layout(
    `Rotate the secret of ${app.name}`,
    html`<h1>Rotate the secret of ${app.name}?</h1>
      <p>You get a new secret. At most two work at a time, so that you can change over without a pause.</p>
      !${newest ? html`<h2>Goes on working</h2><p>!${secretTimes(newest)}</p>` : ''}
      !${
        older.length === 0
          ? ''
          : html`<h2>Stops working at once</h2>
              !${older.map(secret => html`<p class="problem">!${secretTimes(secret)}</p>`)}`
      }
      !${postForm(
        `/developer/apps/${app.id}/rotate`,
        csrf,
        html`<input type="hidden" name="after" value="${newest?.id ?? ''}">
        <div class="actions">
          <button type="submit">Rotate the secret</button>
          <a role="button" class="secondary" href="/developer/apps/${app.id}">Cancel</a>
        </div>`,
      )}`,
  )
}

interface RetireView {
  app: App
  secret: AppSecret
  csrf: string
}

export const retirePage = ({ app, secret, csrf }: RetireView): string =>
  layout(
    `Retire a secret of ${app.name}`,
    html`<h1>Retire this secret of ${app.name}?</h1>
      <p>!${secretTimes(secret)}.</p>
      <p>From the next moment on nobody gets a token with it. The other secret goes on working; tokens that were given
        out already work until they expire.</p>
      !${postForm(
        `/developer/apps/${app.id}/secrets/${secret.id}/retire`,
        csrf,
        html`<div class="actions">
          <button type="submit">Retire the secret</button>
          <a role="button" class="secondary" href="/developer/apps/${app.id}">Keep it</a>
        </div>`,
      )}`,
  )
