import { html } from 'ghtml'
import { isScope, scopes, splitScope } from '../contract/scopes.ts'
import type { ConsentQuestion } from '../domain/consent.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { consentPath } from '../oauth/provider.ts'
import type { Account, App } from '../storage/port.ts'
import { layout } from './layout.ts'
import { postForm, signOutForm } from './post-form.ts'

interface ConsentView {
  uid: string
  app: App
  scope: string
  redirect_uri: string
  question: ConsentQuestion
  account: Account
  csrf: string
  problem?: string | undefined
}

export const consentPage = (view: ConsentView): string =>
  layout(
    `${view.app.name} asks for access`,
    html`<h1>${view.app.name} asks for access to your stores</h1>
      <p class="muted">You are signed in as ${view.account.email}.
        The app is at ${new URL(view.redirect_uri).host}.</p>
      !${previously(view.question)}
      !${view.problem === undefined ? '' : html`<p class="problem" role="alert">${view.problem}</p>`}
      <h2>What it asks for</h2>
      <ul>!${splitScope(view.scope).map(scopeLine)}</ul>
      !${ownAccess(view)}
      !${postForm(
        consentPath(view.uid),
        view.csrf,
        html`!${storeChoice(view.question)}
        <div class="actions">
          <button type="submit" name="decision" value="allow">Allow</button>
          <button type="submit" name="decision" value="deny" class="secondary">Deny</button>
        </div>`,
      )}`,
  )

const scopeLine = (scope: string): string =>
  html`<li>${isScope(scope) ? scopes[scope].gives : scope} <small class="muted">(${scope})</small></li>`

/** Plain words for what follows from the stores being picked: the app's own token needs no further consent. */
function ownAccess({ app, question }: ConsentView): string {
  if (question.own_scopes.length === 0) return ''
  return html`<h2>What it can then read by itself</h2>
    <p>For the stores you pick, ${app.name} can also do this at any time, with its own key, until you revoke it:</p>
    <ul>!${question.own_scopes.map(scopeLine)}</ul>`
}

const previously = ({ allowed, allowed_since }: ConsentQuestion): string =>
  allowed_since === null
    ? ''
    : html`<p>You allowed this app before, on ${formatDatetime(allowed_since)} UTC, for ${allowed.size}
        ${allowed.size === 1 ? 'store' : 'stores'}. What you pick now replaces that.</p>`

function storeChoice({ stores, allowed }: ConsentQuestion): string {
  if (stores.length === 0) return html`<p>Your account has no stores yet, so there is nothing to allow.</p>`
  return html`<fieldset>
    <legend>Which stores may it access?</legend>
    !${stores.map(
      ({ id, name }) => html`<label>
        <input type="checkbox" name="store" value="${String(id)}" !${allowed.has(id) ? 'checked' : ''}>
        ${name}
      </label>`,
    )}
  </fieldset>`
}

export const wrongAccountPage = (account: Account, csrf: string): string =>
  layout(
    'Sign in as a merchant',
    html`<h1>Sign in as a merchant</h1>
      <p>You are signed in as ${account.email}, which is a ${account.role} account.
        Only a merchant can allow an app to access stores.</p>
      !${signOutForm(csrf)}`,
  )
