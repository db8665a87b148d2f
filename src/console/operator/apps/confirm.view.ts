import { html } from 'ghtml'
import type { App, AppReach } from '../../../storage/port/index.ts'
import { layout, type Viewer } from '../../layout.ts'
import { formatCount } from '../../parts/format/amounts.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'

export interface ConfirmAppView {
  viewer: Viewer
  app: App
  reach: AppReach
}

interface Question {
  view: ConfirmAppView
  /** Text: the question, and at the same time the page's title. */
  asks: string
  /** HTML. */
  says: string
  /** Of the address and, with a capital, of the button. */
  action: 'disable' | 'enable' | 'revoke'
  confirm: string
  cancel: string
  danger?: boolean
}

const question = ({ view: { viewer, app }, asks, says, action, confirm, cancel, danger }: Question): string =>
  layout({
    title: asks,
    viewer,
    width: 'narrow',
    body: html`<h1>${asks}</h1>
      !${confirmPanel({
        action: `/operator/apps/${app.id}/${action}`,
        csrf: viewer.csrf,
        content: { html: says },
        confirm,
        cancel: { href: `/operator/apps/${app.id}`, label: cancel },
        danger: danger === true,
      })}`,
  })

const reads = ({ stores }: AppReach): string =>
  stores === 0 ? 'It may read no store now.' : `It may read ${formatCount(stores, 'store')} now.`

export const disableAppPage = (view: ConfirmAppView): string =>
  question({
    view,
    asks: `Disable ${view.app.name}?`,
    says: html`<p>It gets no tokens, and those it has are refused from the next request on. ${reads(view.reach)}</p>
      <p>What merchants allowed stays: once enabled, it reads again, with the tokens that have not expired. Its developer
        cannot enable it.</p>`,
    action: 'disable',
    confirm: 'Disable the app',
    cancel: 'Keep it',
    danger: true,
  })

export const enableAppPage = (view: ConfirmAppView): string =>
  question({
    view,
    asks: `Enable ${view.app.name}?`,
    says: html`<p>It gets tokens again, and those it has work until they expire. ${reads(view.reach)}</p>
      !${view.app.disabled_by_owner ? html`<p>Its developer switched it off, and may not expect this.</p>` : ''}`,
    action: 'enable',
    confirm: 'Enable the app',
    cancel: 'Leave it disabled',
  })

export const revokeAppPage = (view: ConfirmAppView): string =>
  question({
    view,
    asks: `Revoke all access of ${view.app.name}?`,
    says: html`<p>${reads(view.reach)} From the next request on it can read none: the consent of
        ${formatCount(view.reach.merchants, 'merchant')} ends${view.reach.linked ? ', and the links made on the command line too' : ''}.
        What it has read already stays with it.</p>
      <p>This cannot be undone here: each merchant would have to allow it again. To stop the app for a while, disable
        it.</p>`,
    action: 'revoke',
    confirm: 'Revoke all access',
    cancel: 'Keep it',
    danger: true,
  })
