import { html } from 'ghtml'
import type { ConsentQuestion } from '../../domain/apps/consent.ts'
import { consentPath } from '../../oauth/provider.ts'
import type { PendingRequest } from '../../oauth/pending-request.ts'
import type { App } from '../../storage/port/index.ts'
import { appFacts } from './app-profile.view.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { appLogo } from '../parts/logo.ts'
import { notice, problemNotice } from '../parts/notice.ts'
import { storeTime } from '../parts/format/time.ts'
import { postForm } from '../parts/form/post-form.ts'
import { changesInWords, scopeList } from './scope-list.view.ts'
import type { StoreChoice } from './store-choice.ts'
import { storeList } from './store-choice.view.ts'
import { storeNames, storesInWords } from '../parts/format/store-name.ts'
import { homeZone } from '../parts/format/store-zone.ts'

interface ConsentView {
  pending: PendingRequest
  app: App
  question: ConsentQuestion
  choice: StoreChoice
  viewer: Viewer
  problem?: string | undefined
}

export function consentPage(view: ConsentView): Page {
  const { pending, app, question, choice, viewer, problem } = view
  const here = consentPath(pending.uid)
  const returnsTo = { term: 'You will return to', text: new URL(pending.redirect_uri).host }
  return layout({
    title: `${app.name} asks for access`,
    viewer: { ...viewer, afterSignOut: here },
    width: 'narrow',
    body: html`!${appLogo(app)}
      <h1>${app.name} asks for access to your stores</h1>
      !${problemNotice(problem)}
      !${appFacts(app, [returnsTo])}
      !${previously(question)}
      !${access(view)}
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
              linked: new Set(question.linked.map(({ id }) => id)),
            })}
            <input type="hidden" name="scopes" value="${question.scopes.join(' ')}">
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

/** What the tokens of the merchant's consent and the app's own token read together. */
const access = ({ question: { scopes, new_scopes } }: ConsentView): string =>
  html`<h2>What it will be able to see</h2>
    <p>For the stores you pick, until you revoke its access:</p>
    !${scopeList(scopes, { isNew: name => new_scopes.includes(name) })}
    <p class="muted">${changesInWords(scopes)} It never sees your password.</p>`

function previously({ stores, allowed_since, readable, new_scopes }: ConsentQuestion): string {
  if (allowed_since === null) return ''
  const what = readable.length === 0 ? 'none of your stores' : storesInWords(readable, storeNames(stores))
  return notice({
    tone: 'info',
    title: 'You allowed this app before',
    content: {
      html: html`You have allowed it since !${storeTime(allowed_since, homeZone(stores), { precision: 'day' })}. It can
        read ${what} now. The stores that you pick below replace those you allowed.${
          new_scopes.length === 0
            ? ''
            : ' It now asks for more; new items are marked. If you choose Deny, it keeps the access you gave before.'
        }`,
    },
  })
}

const platformLinks = ({ stores, linked }: ConsentQuestion): string =>
  linked.length === 0
    ? ''
    : notice({
        tone: 'warn',
        content: {
          text: `Your platform’s operator connected this app to ${storesInWords(linked, storeNames(stores))}. Your answer does not change that. To end it, ask the operator.`,
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
