import { html } from 'ghtml'
import type { AppConnections, Connection } from '../../../domain/apps/connected-apps.ts'
import { canReadByLink } from '../access.view.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { notice, problemNotice } from '../../parts/notice.ts'
import { postForm } from '../../parts/form/post-form.ts'
import type { StoreChoice } from '../../consent/store-choice.ts'
import { storeList } from '../../consent/store-choice.view.ts'

interface ChangeStoresView {
  viewer: Viewer
  own: Connection
  connections: AppConnections
  choice: StoreChoice
  problem: string | undefined
}

export function changeStoresPage(view: ChangeStoresView): Page {
  const { viewer, own, connections, choice, problem } = view
  const { app, stores, linked } = connections
  const here = `/account/apps/${app.id}`
  return layout({
    title: `Stores for ${app.name}`,
    viewer,
    path: here,
    width: 'narrow',
    body: html`!${pageHeader({ title: `Change the stores for ${app.name}`, back: { href: here, label: app.name } })}
      !${problemNotice(problem)}
      <p>You allow ${app.name} to read the stores that you tick, from its next request. To take back all of your
        permission, untick every store.</p>
      !${linked ? notice({ tone: 'warn', content: { text: canReadByLink(connections) } }) : ''}
      !${postForm(
        `${here}/stores`,
        viewer.csrf,
        html`!${storeList({
          stores,
          choice,
          allowed: new Map(own.stores.map(({ id, since }) => [id, since])),
          linked: new Set(linked?.stores.map(({ id }) => id)),
        })}
        <div class="actions">
          <button type="submit" name="decision" value="save">Save</button>
          <a class="button secondary" href="${here}">Cancel</a>
        </div>`,
      )}`,
  })
}
