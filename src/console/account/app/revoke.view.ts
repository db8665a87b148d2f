import { html } from 'ghtml'
import { splitScope } from '../../../contract/scopes.ts'
import {
  type AppConnections,
  type ConnectedStore,
  type Connection,
  isRead,
} from '../../../domain/apps/connected-apps.ts'
import { canReadByLink, dataInWords } from '../access.view.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'
import { storeNames, storesInWords } from '../../parts/format/store-name.ts'
import { notice } from '../../parts/notice.ts'

interface RevokeView {
  viewer: Viewer
  own: Connection
  connections: AppConnections
}

export function revokePage({ viewer, own, connections }: RevokeView): Page {
  const { app } = own
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
          html: html`!${ends(own, connections)}
            !${connections.linked ? stays(connections) : ''}`,
        },
        confirm: 'Revoke access',
        cancel: { href: here, label: 'Keep access' },
        danger: true,
      })}`,
  })
}

/** What the app reads by the merchant's consent alone, by what ends: of some stores the operator's link covers a part. */
function ends(own: Connection, { stores, linked }: AppConnections): string {
  const { app } = own
  const stays = new Map(linked?.stores.map(({ id, scopes }) => [id, scopes]))
  const lost = ({ id, scopes }: ConnectedStore): string[] =>
    scopes.filter(scope => !stays.get(id)?.includes(scope))
  const ending = own.stores.filter(store => lost(store).length > 0)
  const again = 'To connect it again, start in the app.'
  if (ending.length === 0) {
    return html`<p>You take back the permission that you gave ${app.name}. ${
      own.stores.some(isRead)
        ? 'The app can read the same stores without it, because your platform’s operator connected them too.'
        : 'It covers none of your stores.'
    } ${again}</p>`
  }
  const names = storeNames(stores)
  const intro = (some: readonly ConnectedStore[]): string =>
    app.disabled_at === null
      ? `From its next request, ${app.name} can no longer read this data from ${storesInWords(some, names)}:`
      : `${app.name} is disabled, so it cannot read anything now. When it is enabled again, it cannot read this data from ${storesInWords(some, names)}:`
  const groups = Map.groupBy(ending, store => lost(store).join(' '))
  return html`!${[...groups].map(
    ([scope, some]) => html`<p>${intro(some)}</p>
      <ul>!${dataInWords(splitScope(scope)).map(data => html`<li>${data}</li>`)}</ul>`,
  )}
    <p>Features of the app that need this data stop working. The app keeps the data that it has already read. ${again}</p>`
}

const stays = (connections: AppConnections): string =>
  notice({
    tone: 'warn',
    title: 'Some access stays',
    content: { text: `After you revoke: ${canReadByLink(connections)}` },
  })
