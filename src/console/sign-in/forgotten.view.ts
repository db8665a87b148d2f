import { html } from 'ghtml'
import { layout, type Page } from '../layout.ts'
import { postForm } from '../parts/form/post-form.ts'
import { problemNotice } from '../parts/notice.ts'

interface ForgottenView {
  csrf: string
  refusal: string | undefined
}

export const forgottenPage = ({ csrf, refusal }: ForgottenView): Page =>
  layout({
    title: 'Forgot your password?',
    width: 'narrow',
    body: html`<h1>Forgot your password?</h1>
      <p class="lead">Enter your email address to get a link that sets a new one.</p>
      !${problemNotice(refusal)}
      !${postForm(
        '/login/forgot',
        csrf,
        html`<label for="email">Email</label>
        <input type="email" id="email" name="email" autocomplete="username" autocapitalize="none" spellcheck="false"
          required autofocus>
        <button type="submit" class="wide">Send the link</button>`,
      )}
      <p class="aside"><a href="/login">Back to sign-in</a></p>`,
  })
