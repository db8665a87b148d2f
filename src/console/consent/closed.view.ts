import { html } from 'ghtml'
import type { Decision } from '../../domain/apps/consent.ts'
import type { App } from '../../storage/port/index.ts'
import { appAddress } from './app-profile.view.ts'
import { layout, messagePage, type Viewer } from '../layout.ts'
import { roleWithArticle } from '../parts/format/role.ts'

/** The pages in the place of the consent page when there is nothing to decide, each with a way on. */

type MaybeViewer = Viewer | undefined

/** Back to the app with an answer to its very request, so that it can begin anew. */
export const expiredPage = (app: App, address: string, viewer: MaybeViewer): string =>
  messagePage(
    'This request has expired',
    `${app.name} asked for access to your stores more than an hour ago. Nothing was allowed. Go back and start again.`,
    { viewer, action: { href: address, label: `Back to ${app.name}` } },
  )

export const appOffPage = (app: App, viewer: MaybeViewer): string =>
  messagePage(
    'This app is switched off',
    app.disabled_by_owner
      ? `The developer of ${app.name} has switched it off, so it cannot be connected now. Ask its maker.`
      : `The platform has disabled ${app.name}, so it cannot be connected now. Ask the platform’s operator.`,
    { viewer },
  )

export const notOpenPage = (viewer: MaybeViewer): string =>
  messagePage(
    'This request is no longer open',
    'It expired, was answered already, or began in another browser. Go back to the app and start again from there.',
    { viewer },
  )

interface Decided {
  app: App
  decision: Decision
  viewer: MaybeViewer
}

/** Without an answer to the request: the app has that already, and a code works once. */
export function decidedPage({ app, decision, viewer }: Decided): string {
  const address = appAddress(app)
  const what =
    decision === 'allow'
      ? `You allowed ${app.name} to access your stores. You can change that at any time.`
      : `You denied ${app.name} access. Nothing was allowed. To change your mind, start again from the app.`
  return layout({
    title: 'You have answered already',
    viewer,
    width: 'narrow',
    body: html`<h1>You have answered already</h1>
      <p>${what}</p>
      <p class="actions">
        !${address === null ? '' : html`<a class="button" href="${address}">Back to ${app.name}</a>`}
        <a class="button secondary" href="/account/apps">Connected apps</a>
      </p>`,
  })
}

interface WrongAccount {
  app: App
  viewer: Viewer
  /** The consent page, where the next one to sign in goes on. */
  here: string
}

export const wrongAccountPage = ({ app, viewer, here }: WrongAccount): string =>
  layout({
    title: 'Sign in as a merchant',
    viewer: { ...viewer, afterSignOut: here },
    width: 'narrow',
    body: html`<h1>Sign in as a merchant</h1>
      <p>You are signed in as ${viewer.account.email}, which is ${roleWithArticle[viewer.account.role]} account.
        Only a merchant can allow ${app.name} to access stores.</p>
      <p class="actions"><button type="submit" form="sign-out">Use another account</button></p>`,
  })
