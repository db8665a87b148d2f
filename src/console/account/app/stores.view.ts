import { html } from 'ghtml'
import type { Connection } from '../../../domain/apps/connected-apps.ts'
import type { MerchantStore } from '../../../storage/port/index.ts'
import { layout, type Viewer } from '../../layout.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { problemNotice } from '../../parts/notice.ts'
import { postForm } from '../../parts/form/post-form.ts'
import type { StoreChoice } from '../../consent/store-choice.ts'
import { storeList } from '../../consent/store-choice.view.ts'

interface ChangeStoresView {
  viewer: Viewer
  /** All stores of the merchant. */
  stores: readonly MerchantStore[]
  own: Connection
  choice: StoreChoice
  problem: string | undefined
}

export function changeStoresPage({ viewer, stores, own, choice, problem }: ChangeStoresView): string {
  const { app } = own
  const here = `/account/apps/${app.id}`
  return layout({
    title: `Stores for ${app.name}`,
    viewer,
    path: here,
    width: 'narrow',
    body: html`!${pageHeader({ title: `Change the stores for ${app.name}`, back: { href: here, label: app.name } })}
      !${problemNotice(problem)}
      <p>You allow ${app.name} to read the stores that you tick, from its next request. To revoke all the access you
        gave it, untick every store.</p>
      !${postForm(
        `${here}/stores`,
        viewer.csrf,
        html`!${storeList({ stores, choice, allowed: new Map(own.stores.map(({ id, since }) => [id, since])) })}
        <div class="actions">
          <button type="submit" name="decision" value="save">Save</button>
          <a class="button secondary" href="${here}">Cancel</a>
        </div>`,
      )}`,
  })
}
