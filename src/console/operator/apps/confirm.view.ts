import { html } from 'ghtml'
import type { App, AppReach } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { formatCount } from '../../parts/format/amounts.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'

export interface ConfirmAppView {
  viewer: Viewer
  app: App
  reach: AppReach
}

interface Question {
  view: ConfirmAppView
  /** Text: the question, which is the page's title too. */
  asks: string
  /** HTML. */
  says: string
  /** The last part of the address. */
  action: 'disable' | 'enable' | 'revoke' | 'webhooks/pause' | 'webhooks/resume'
  confirm: string
  cancel: string
  danger?: boolean
}

const question = ({ view: { viewer, app }, asks, says, action, confirm, cancel, danger }: Question): Page =>
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
  stores === 0 ? 'It cannot read any store now.' : `It can read ${formatCount(stores, 'store')} now.`

export const disableAppPage = (view: ConfirmAppView): Page =>
  question({
    view,
    asks: `Disable ${view.app.name}?`,
    says: html`<p>It gets no tokens, and the server rejects those it has from the next request. ${reads(view.reach)}</p>
      <p>The merchants’ consent stays: when you enable the app, it can read again with tokens that have not expired. Its
        developer cannot enable it.</p>`,
    action: 'disable',
    confirm: 'Disable the app',
    cancel: 'Cancel',
    danger: true,
  })

export const enableAppPage = (view: ConfirmAppView): Page =>
  question({
    view,
    asks: `Enable ${view.app.name}?`,
    says: html`<p>It gets tokens again, and those it has work until they expire. ${reads(view.reach)}</p>
      !${view.app.disabled_by_owner ? html`<p>Its developer disabled it and may not expect this.</p>` : ''}`,
    action: 'enable',
    confirm: 'Enable the app',
    cancel: 'Leave it disabled',
  })

export const revokeAppPage = (view: ConfirmAppView): Page =>
  question({
    view,
    asks: `Revoke all access of ${view.app.name}?`,
    says: html`<p>${reads(view.reach)} From its next request it can read none: the consent of
        ${formatCount(view.reach.merchants, 'merchant')} ends${view.reach.linked ? ', and so do the operators’ links' : ''}.
        The app keeps the data that it has already read.</p>
      <p>You cannot undo this: each merchant would have to allow the app again. To stop the app for a while, disable it
        instead.</p>`,
    action: 'revoke',
    confirm: 'Revoke all access',
    cancel: 'Cancel',
    danger: true,
  })

export const pauseWebhooksPage = (view: ConfirmAppView): Page =>
  question({
    view,
    asks: `Pause the webhooks of ${view.app.name}?`,
    says: html`<p>No endpoint of the app is called until you resume its webhooks. The app can still read its stores, and its
        developer sees that you have paused them.</p>
      <p>Nothing is lost: afterwards each endpoint is called for every store that has changed, and gets the events that
        happened meanwhile.</p>`,
    action: 'webhooks/pause',
    confirm: 'Pause webhooks',
    cancel: 'Cancel',
  })

export const resumeWebhooksPage = (view: ConfirmAppView): Page =>
  question({
    view,
    asks: `Resume the webhooks of ${view.app.name}?`,
    says: html`<p>Within a second its endpoints are called for every store that has changed since you paused them.</p>`,
    action: 'webhooks/resume',
    confirm: 'Resume webhooks',
    cancel: 'Leave them paused',
  })
