import { html } from 'ghtml'
import type { App, Decision } from '../../storage/port/index.ts'
import { appAddress } from './app-profile.view.ts'
import { layout, messagePage, type Page, type Viewer } from '../layout.ts'
import { roleWithArticle } from '../parts/format/role.ts'

/** The pages that replace the consent page when there is nothing to decide. */

type MaybeViewer = Viewer | undefined

/** The link answers the app's request with an error, so that the app can start again. */
export const expiredPage = (app: App, address: string, viewer: MaybeViewer): Page =>
  messagePage(
    'This request has expired',
    `${app.name} asked for access to your stores more than an hour ago. You did not answer in time, so nothing has changed. Go back to the app and start again.`,
    { viewer, action: { href: address, label: `Back to ${new URL(address).host}` } },
  )

export const appOffPage = (app: App, viewer: MaybeViewer): Page =>
  messagePage(
    'This app is disabled',
    app.disabled_by_owner
      ? `The developer of ${app.name} has disabled it, so you cannot connect it now. Contact the developer.`
      : `Your platform’s operator has disabled ${app.name}, so you cannot connect it now. Ask the operator.`,
    { viewer },
  )

export const notOpenPage = (viewer: MaybeViewer): Page =>
  messagePage(
    'This request is no longer open',
    'It has expired, you have already answered it, or it was started in another browser. Go back to the app and start again.',
    { viewer },
  )

interface Decided {
  app: App
  decision: Decision['decision']
  viewer: MaybeViewer
}

/** The link has no answer in it: the app has the answer already, and a code works once. */
export function decidedPage({ app, decision, viewer }: Decided): Page {
  const address = appAddress(app)
  const what =
    decision === 'allow'
      ? `You allowed ${app.name} to access your stores. You can change that at any time.`
      : `You denied ${app.name}’s request, so nothing has changed. If you change your mind, start again in the app.`
  return layout({
    title: 'You have already answered',
    viewer,
    width: 'narrow',
    body: html`<h1>You have already answered</h1>
      <p>${what}</p>
      <p class="actions">
        !${address === null ? '' : html`<a class="button" href="${address}">Back to ${new URL(address).host}</a>`}
        <a class="button secondary" href="/account/apps">Connected apps</a>
      </p>`,
  })
}

interface WrongAccount {
  app: App
  viewer: Viewer
  /** The path of the consent page, for the next person who signs in. */
  here: string
}

export const wrongAccountPage = ({ app, viewer, here }: WrongAccount): Page =>
  layout({
    title: 'Sign in as a merchant',
    viewer: { ...viewer, afterSignOut: here },
    width: 'narrow',
    body: html`<h1>Sign in as a merchant</h1>
      <p>You are signed in as ${viewer.account.email}, which is ${roleWithArticle[viewer.account.role]} account.
        Only a merchant can allow ${app.name} to access stores.</p>
      <p class="actions"><button type="submit" form="sign-out">Use another account</button></p>`,
  })
