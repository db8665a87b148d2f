import { html } from 'ghtml'
import type { App, AppSecret } from '../../../storage/port/index.ts'
import { layout, type Viewer } from '../../layout.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'
import { copyable } from '../../parts/copyable.ts'
import { facts } from '../../parts/facts.ts'
import { secretBox } from '../../parts/secret-box.ts'
import { viewerTime } from '../../parts/format/time.ts'

export const secretTimes = ({ created_at, last_used_at }: AppSecret): string =>
  html`Created !${viewerTime(created_at)},
    !${last_used_at === null ? 'never used' : html`last used !${viewerTime(last_used_at)}`}`

const headings = { created: 'is created', rotated: 'has a new secret' }

interface SecretView {
  viewer: Viewer
  app: App
  /** Null for a public app. */
  client_secret: string | null
  what: keyof typeof headings
}

/** The only page that ever holds a secret. It is the answer to a form, so it has no address to come back to. */
export const secretPage = ({ viewer, app, client_secret, what }: SecretView): string =>
  layout({
    title: `${app.name} ${headings[what]}`,
    viewer,
    width: 'narrow',
    body: html`<h1>${app.name} ${headings[what]}</h1>
      !${client_secret === null ? withoutSecret(app) : secretBox({ client_id: app.id, client_secret })}
      !${what === 'rotated' ? html`<p>The secret before it goes on working. Retire it once nothing uses it any more.</p>` : ''}
      <p class="actions"><a class="button" href="/developer/apps/${app.id}">${client_secret === null ? 'Go on' : 'I have copied it'}</a></p>`,
  })

const withoutSecret = ({ id }: App): string => html`!${facts([
  { term: 'client_id', html: copyable({ value: id, id: 'client-id', what: 'client_id' }) },
])}
  <p>It is public, so it has no secret: use PKCE with S256 when you ask merchants to connect it.</p>`

/** A reload, a double click or an old tab. */
export const sentAlreadyPage = (viewer: Viewer, back: string): string =>
  layout({
    title: 'This form was used already',
    viewer,
    width: 'narrow',
    body: html`<h1>This form was used already</h1>
      <p>What it asked for is done, and nothing was done a second time. A secret is shown once only: if you did not
        copy it, rotate the secret to get another one.</p>
      <p class="actions"><a class="button" href="${back}">Go on</a></p>`,
  })

interface RotateView {
  viewer: Viewer
  app: App
  /** Newest first. */
  secrets: AppSecret[]
}

export function rotatePage({ viewer, app, secrets }: RotateView): string {
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
          html: html`<p>You get a new secret. At most two work at a time, so that you can change over without a pause.</p>
            !${newest ? html`<h2>Goes on working</h2><p>!${secretTimes(newest)}</p>` : ''}
            !${
              older.length === 0
                ? ''
                : html`<h2>Stops working at once</h2>
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

export const retirePage = ({ viewer, app, secret }: RetireView): string =>
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
            <p>From the next moment on nobody gets a token with it. The other secret goes on working; tokens that were
              given out already work until they expire.</p>`,
        },
        confirm: 'Retire the secret',
        cancel: { href: `/developer/apps/${app.id}`, label: 'Keep it' },
        danger: true,
      })}`,
  })
