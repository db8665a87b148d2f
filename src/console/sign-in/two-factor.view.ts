import { html } from 'ghtml'
import { renderSVG } from 'uqr'
import { nameOf } from '../../domain/brand/brand.ts'
import type { InputError } from '../../domain/input-error.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { currentPasswordField } from '../parts/form/current-password.ts'
import { field } from '../parts/form/field.ts'
import { postForm } from '../parts/form/post-form.ts'
import { notice } from '../parts/notice.ts'
import { loginAddress } from './next.ts'

interface CodeView {
  csrf: string
  next: string | null
  problem?: string
}

const nextField = (next: string | null): string =>
  html`<input type="hidden" name="next" value="${next ?? ''}">`

export const codePage = ({ csrf, next, problem }: CodeView): Page =>
  layout({
    title: 'Enter your code',
    width: 'narrow',
    body: brand => html`<h1>Enter your code</h1>
      <p class="lead">Open your authenticator app and type the six digits that it shows for ${nameOf(brand)}.</p>
      !${problem === undefined ? '' : notice({ tone: 'bad', content: { text: problem }, id: 'problem' })}
      !${postForm(
        '/login/code',
        csrf,
        html`!${nextField(next)}
        <label for="code">Code</label>
        <input type="text" id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false"
          required autofocus aria-describedby="code-hint !${problem === undefined ? '' : 'problem'}">
        <small id="code-hint">Without your phone, type one of your recovery codes instead.</small>
        <button type="submit" class="wide">Sign in</button>`,
      )}
      <p class="aside"><a href="${loginAddress(next)}">Start again</a></p>`,
  })

interface SetUpView {
  csrf: string
  /** Where the form is sent. */
  action: string
  next: string | null
  secret: string
  uri: string
  problem?: InputError
  viewer?: Viewer
  /** Asks for the password too, of a person who is signed in. */
  passwordField?: boolean
}

export const setUpPage = (view: SetUpView): Page => {
  const { csrf, action, next, secret, uri, problem, viewer, passwordField = false } = view
  return layout({
    title: `${problem ? 'Error: ' : ''}Set up two-factor authentication`,
    viewer,
    width: 'narrow',
    body: html`<h1>Set up two-factor authentication</h1>
      <p class="lead">Besides your password you will type a code from an authenticator app on your phone.</p>
      <ol>
        <li>Scan this with the app, or type the key below into it.
          <div class="qr" role="img" aria-label="QR code of the key">!${renderSVG(uri, { border: 2 })}</div>
          <p><code class="value">${secret.replace(/.{4}(?=.)/g, '$& ')}</code></p></li>
        <li>Type the code that the app shows.</li>
      </ol>
      !${postForm(
        action,
        csrf,
        html`!${nextField(next)}<input type="hidden" name="secret" value="${secret}">
        !${field({
          id: 'code',
          label: 'Code',
          problem,
          hint: { text: 'Six digits. They change every 30 seconds.' },
          control: attributes =>
            html`<input type="text" name="code" inputmode="numeric" autocomplete="one-time-code" required !${attributes}>`,
        })}
        !${passwordField ? currentPasswordField(problem) : ''}
        <button type="submit" class="wide">Turn on</button>`,
      )}`,
  })
}

interface RecoveryView {
  codes: readonly string[]
  /** The page to go on to. */
  next: string
  viewer?: Viewer
}

/** The only page that shows them. It answers a form, so no address leads back to it. */
export const recoveryCodesPage = ({ codes, next, viewer }: RecoveryView): Page =>
  layout({
    title: 'Your recovery codes',
    viewer,
    width: 'narrow',
    body: html`<h1>Your recovery codes</h1>
      <p class="lead">Two-factor authentication is on. If you lose your phone, each of these codes works once instead.</p>
      <section class="card secret">
        <ul class="codes">!${codes.map(code => html`<li><code>${code}</code></li>`)}</ul>
        <p><strong>Save them now: they are shown only once.</strong> Print them, or keep them in a password manager.</p>
      </section>
      <p class="actions"><a class="button" href="${next}">I have saved them</a></p>`,
  })
