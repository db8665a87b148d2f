import { html } from 'ghtml'
import type { App, AppReach } from '../../../storage/port/index.ts'
import { layout, type Viewer } from '../../layout.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'

interface DisableView {
  viewer: Viewer
  app: App
  reach: AppReach
}

export const disablePage = ({ viewer, app, reach }: DisableView): string =>
  layout({
    title: `Disable ${app.name}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Disable ${app.name}?</h1>
      !${confirmPanel({
        action: `/developer/apps/${app.id}/disable`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>From the next moment on it gets no token, and every token that it has is refused: it can read
              nothing any more. !${lost(reach)}</p>
            <p>Merchants keep it among their connected apps, and cannot allow it anything while it is disabled. You can
              enable it again; then the tokens that it still has work as before.</p>`,
        },
        confirm: 'Disable the app',
        cancel: { href: `/developer/apps/${app.id}`, label: 'Keep it enabled' },
        danger: true,
      })}`,
  })

const lost = ({ stores }: AppReach): string => {
  if (stores === 0) return 'No store is connected to it now.'
  return stores === 1
    ? 'It may read <strong>one store</strong> now.'
    : html`It may read <strong>${formatNumber(stores)} stores</strong> now.`
}
