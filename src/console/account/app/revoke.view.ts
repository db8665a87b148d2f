import { html } from 'ghtml'
import { splitScope } from '../../../contract/scopes.ts'
import type { Connection } from '../../../domain/apps/connected-apps.ts'
import { storesInWords } from '../app-parts.ts'
import { layout, type Viewer } from '../../layout.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'
import { notice } from '../../parts/notice.ts'

interface RevokeView {
  viewer: Viewer
  own: Connection
  linked: Connection | null
}

export function revokePage({ viewer, own, linked }: RevokeView): string {
  const { app, stores } = own
  const here = `/account/apps/${app.id}`
  return layout({
    title: `Revoke ${app.name}`,
    viewer,
    path: here,
    width: 'narrow',
    body: html`<h1>Revoke the access of ${app.name}?</h1>
      !${confirmPanel({
        action: `${here}/revoke`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>From its next request on, ${app.name} can no longer read of
              ${stores.length === 0 ? 'your stores' : storesInWords(stores)}:</p>
            <ul>!${stops(own)}</ul>
            <p>What you use the app for there will stop working. What it has read already stays with it. To connect it
              again, start from the app.</p>
            !${linked ? stays(linked) : ''}`,
        },
        confirm: 'Revoke access',
        cancel: { href: here, label: 'Keep it' },
        danger: true,
      })}`,
  })
}

/** By what it could read. A public app has no key of its own, and so never orders or items. */
function stops({ app }: Connection): string[] {
  const scopes = app.public ? [] : splitScope(app.scope)
  return [
    ...(scopes.includes('integration.order')
      ? [html`<li>orders, with their items, taxes, payments and promotions</li>`]
      : []),
    ...(scopes.includes('integration.inventory')
      ? [html`<li>items, and how many of each were sold</li>`]
      : []),
    html`<li>names and time zones</li>`,
  ]
}

const stays = (linked: Connection): string =>
  notice({
    tone: 'warn',
    title: 'Not all of it ends',
    content: {
      text: `The platform itself connected this app to ${storesInWords(linked.stores)}. That stays: ask the platform’s operator to end it.`,
    },
  })
