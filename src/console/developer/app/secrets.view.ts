import { html } from 'ghtml'
import type { App, AppSecret } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'
import { copyable } from '../../parts/copyable.ts'
import { facts } from '../../parts/facts.ts'
import { secretBox } from '../../parts/secret-box.ts'
import { viewerTime } from '../../parts/format/time.ts'

export const secretTimes = ({ created_at, last_used_at }: AppSecret): string =>
  html`Created !${viewerTime(created_at)},
    !${last_used_at === null ? 'never used' : html`last used !${viewerTime(last_used_at)}`}`

const headings = { created: 'has been created', rotated: 'has a new secret' }

interface SecretView {
  viewer: Viewer
  app: App
  /** Null for a public app. */
  client_secret: string | null
  what: keyof typeof headings
}

/** The only page that shows a secret. It answers a form, so no address leads back to it. */
export const secretPage = ({ viewer, app, client_secret, what }: SecretView): Page =>
  layout({
    title: `${app.name} ${headings[what]}`,
    viewer,
    width: 'narrow',
    body: html`<h1>${app.name} ${headings[what]}</h1>
      !${client_secret === null ? withoutSecret(app) : secretBox({ client_id: app.id, client_secret })}
      !${what === 'rotated' ? html`<p>The previous secret still works. Retire it when nothing uses it any more.</p>` : ''}
      <p class="actions"><a class="button" href="/developer/apps/${app.id}">${client_secret === null ? 'Continue' : 'I have copied it'}</a></p>`,
  })

const withoutSecret = ({ id }: App): string => html`!${facts([
  { term: 'client_id', html: copyable({ value: id, id: 'client-id', what: 'client_id' }) },
])}
  <p>The app is public, so it has no secret. Use PKCE with S256 when you ask merchants to connect it.</p>`

/** A reload, a double click or an old tab. */
export const sentAlreadyPage = (viewer: Viewer, back: string): Page =>
  layout({
    title: 'This form has already been used',
    viewer,
    width: 'narrow',
    body: html`<h1>This form has already been used</h1>
      <p>The server processed it the first time and ignored the repeat. A secret is shown only once: if you did not copy
        it, rotate the secret to get a new one.</p>
      <p class="actions"><a class="button" href="${back}">Continue</a></p>`,
  })

interface RotateView {
  viewer: Viewer
  app: App
  /** Newest first. */
  secrets: AppSecret[]
}

export function rotatePage({ viewer, app, secrets }: RotateView): Page {
  const [newest, ...older] = secrets
  return layout({
    title: `Rotate the secret of ${app.name}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Rotate the secret of ${app.name}?</h1>
      !${confirmPanel({
        action: `/developer/apps/${app.id}/rotate`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>You get a new secret. Two secrets can work at a time, so that you can switch without downtime.</p>
            !${newest ? html`<h2>Keeps working</h2><p>!${secretTimes(newest)}</p>` : ''}
            !${
              older.length === 0
                ? ''
                : html`<h2>Stops working immediately</h2>
                    !${older.map(secret => html`<p class="notice warn">!${secretTimes(secret)}</p>`)}`
            }`,
        },
        fields: html`<input type="hidden" name="after" value="${newest?.id ?? ''}">`,
        confirm: 'Rotate the secret',
        cancel: { href: `/developer/apps/${app.id}`, label: 'Cancel' },
      })}`,
  })
}

interface RetireView {
  viewer: Viewer
  app: App
  secret: AppSecret
}

export const retirePage = ({ viewer, app, secret }: RetireView): Page =>
  layout({
    title: `Retire a secret of ${app.name}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Retire this secret of ${app.name}?</h1>
      !${confirmPanel({
        action: `/developer/apps/${app.id}/secrets/${secret.id}/retire`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>!${secretTimes(secret)}.</p>
            <p>From now on it cannot be used to get tokens. The other secret keeps working, and tokens that were already
              issued work until they expire.</p>`,
        },
        confirm: 'Retire the secret',
        cancel: { href: `/developer/apps/${app.id}`, label: 'Keep the secret' },
        danger: true,
      })}`,
  })
