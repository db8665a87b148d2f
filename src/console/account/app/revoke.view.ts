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
    body: html`<h1>Revoke ${app.name}’s access?</h1>
      !${confirmPanel({
        action: `${here}/revoke`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>From its next request, ${app.name} can no longer read this data from
              ${stores.length === 0 ? 'your stores' : storesInWords(stores)}:</p>
            <ul>!${stops(own)}</ul>
            <p>Features of the app that need this data stop working. The app keeps the data that it has already read. To
              connect it again, start in the app.</p>
            !${linked ? stays(linked) : ''}`,
        },
        confirm: 'Revoke access',
        cancel: { href: here, label: 'Keep access' },
        danger: true,
      })}`,
  })
}

/** The data that the app could read. A public app cannot read orders or items. */
function stops({ app }: Connection): string[] {
  const scopes = app.public ? [] : splitScope(app.scope)
  return [
    ...(scopes.includes('integration.order')
      ? [html`<li>orders, with their items, taxes, payments and promotions</li>`]
      : []),
    ...(scopes.includes('integration.inventory')
      ? [html`<li>items, and how many of each were sold</li>`]
      : []),
    html`<li>store names and time zones</li>`,
  ]
}

const stays = (linked: Connection): string =>
  notice({
    tone: 'warn',
    title: 'Some access stays',
    content: {
      text: `Your platform’s operator also connected this app to ${storesInWords(linked.stores)}. That access stays. To end it, ask the operator.`,
    },
  })
