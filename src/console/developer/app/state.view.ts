import { html } from 'ghtml'
import type { App, AppReach } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'

interface DisableView {
  viewer: Viewer
  app: App
  reach: AppReach
}

export const disablePage = ({ viewer, app, reach }: DisableView): Page =>
  layout({
    title: `Disable ${app.name}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Disable ${app.name}?</h1>
      !${confirmPanel({
        action: `/developer/apps/${app.id}/disable`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>It stops getting tokens immediately, and the server rejects those it has: it can no longer read anything.
              !${lost(reach)}</p>
            <p>Merchants still see it among their connected apps, but cannot give it access while it is disabled. If you
              enable it again, its tokens that have not expired work again.</p>`,
        },
        confirm: 'Disable the app',
        cancel: { href: `/developer/apps/${app.id}`, label: 'Keep it enabled' },
        danger: true,
      })}`,
  })

const lost = ({ stores }: AppReach): string => {
  if (stores === 0) return 'No stores are connected to it now.'
  return stores === 1
    ? 'It can read <strong>one store</strong> now.'
    : html`It can read <strong>${formatNumber(stores)} stores</strong> now.`
}
