import { html } from 'ghtml'
import { splitScope } from '../../contract/scopes.ts'
import type { ConsentQuestion } from '../../domain/apps/consent.ts'
import { consentPath } from '../../oauth/provider.ts'
import type { PendingRequest } from '../../oauth/pending-request.ts'
import type { App, MerchantStore } from '../../storage/port/index.ts'
import { appFacts } from './app-profile.view.ts'
import { layout, type Viewer } from '../layout.ts'
import { notice, problemNotice } from '../parts/notice.ts'
import { storeTime } from '../parts/format/time.ts'
import { postForm } from '../parts/form/post-form.ts'
import { scopeList } from './scope-list.view.ts'
import type { StoreChoice } from './store-choice.ts'
import { storeList } from './store-choice.view.ts'
import { homeZone } from '../parts/format/store-zone.ts'

interface ConsentView {
  pending: PendingRequest
  app: App
  question: ConsentQuestion
  choice: StoreChoice
  viewer: Viewer
  problem?: string | undefined
}

export function consentPage(view: ConsentView): string {
  const { pending, app, question, choice, viewer, problem } = view
  const here = consentPath(pending.uid)
  const returnsTo = { term: 'You will return to', text: new URL(pending.redirect_uri).host }
  return layout({
    title: `${app.name} asks for access`,
    viewer: { ...viewer, afterSignOut: here },
    width: 'narrow',
    body: html`<h1>${app.name} asks for access to your stores</h1>
      !${problemNotice(problem)}
      !${appFacts(app, [returnsTo])}
      !${previously(question)}
      <h2>What it asks for</h2>
      !${scopeList(splitScope(pending.scope))}
      !${ownAccess(view)}
      <p class="muted">It cannot change your orders, items or prices, and never sees your password.</p>
      !${platformLinks(question)}
      !${postForm(
        here,
        viewer.csrf,
        question.stores.length === 0
          ? nothingToAllow(viewer.account.email)
          : html`!${storeList({
              stores: question.stores,
              choice,
              allowed: question.allowed_since === null ? null : question.allowed,
            })}
            <div class="actions">
              <button type="submit" name="decision" value="allow">Allow</button>
              <button type="submit" name="decision" value="deny" class="secondary">Deny</button>
            </div>`,
        { once: true },
      )}
      <p class="switch muted">Signed in as ${viewer.account.email}.
        <button type="submit" form="sign-out" class="link">Use another account</button></p>`,
  })
}

/** The scopes that the app's own token (client_credentials) has for the picked stores, without further consent. */
function ownAccess({ question, pending }: ConsentView): string {
  const asked = splitScope(pending.scope)
  const further = question.own_scopes.filter(scope => !asked.includes(scope))
  if (further.length === 0) return ''
  return html`<h2>What it can then read on its own</h2>
    <p>For the stores you pick, at any time, until you revoke its access:</p>
    !${scopeList(further)}`
}

function previously({ stores, allowed, allowed_since }: ConsentQuestion): string {
  if (allowed_since === null) return ''
  const names = stores.filter(({ id }) => allowed.has(id))
  const what = names.length === 0 ? 'none of your stores' : listed(names)
  return notice({
    tone: 'info',
    title: 'You allowed this app before',
    content: {
      html: html`You have allowed it since !${storeTime(allowed_since, homeZone(stores), { precision: 'day' })}. It can
        read ${what} now. The stores that you pick below replace these.`,
    },
  })
}

/** Up to five stores by name, more as a count. */
const listed = (stores: readonly MerchantStore[]): string =>
  stores.length > 5
    ? `${stores.length} of your stores`
    : new Intl.ListFormat('en').format(stores.map(({ name }) => name))

const platformLinks = ({ linked }: ConsentQuestion): string =>
  linked.length === 0
    ? ''
    : notice({
        tone: 'warn',
        content: {
          text: `Your platform’s operator connected this app to ${listed(linked)}. Your answer does not change that. To end it, ask the operator.`,
        },
      })

const nothingToAllow = (email: string): string => html`!${notice({
  tone: 'warn',
  title: 'Your account has no stores yet',
  content: {
    text: `Ask your point-of-sale platform to register your stores for ${email}, then start again in the app. If your stores belong to another account, use that one.`,
  },
})}
  <div class="actions"><button type="submit" name="decision" value="deny" class="secondary">Deny</button></div>`
