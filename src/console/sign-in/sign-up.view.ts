import { html } from 'ghtml'
import { passwordLength } from '../../domain/accounts/accounts.ts'
import type { InputError } from '../../domain/input-error.ts'
import { layout } from '../layout.ts'
import { field } from '../parts/form/field.ts'
import { problemNotice } from '../parts/notice.ts'
import { postForm } from '../parts/form/post-form.ts'

interface SignUpView {
  csrf: string
  next: string | null
  /** Where those sign in who have an account. */
  sign_in: string
  email: string
  /** With one of the fields. */
  problem?: InputError
  /** With nothing on the page: too many attempts. */
  refusal?: string
}

/** The password is not sent back: what was typed wrong is typed again. */
export const signUpPage = ({ csrf, next, sign_in, email, problem, refusal }: SignUpView): string =>
  layout({
    title: problem || refusal ? 'Create a developer account: not yet' : 'Create a developer account',
    width: 'narrow',
    body: html`<h1>Create a developer account</h1>
      <p class="lead">For whoever builds apps on the API. Merchants get their accounts from the platform.</p>
      !${problemNotice(refusal)}
      !${postForm(
        '/signup',
        csrf,
        html`<input type="hidden" name="next" value="${next ?? ''}">
        !${field({
          id: 'email',
          label: 'Email',
          problem,
          hint: { text: 'You sign in with it.' },
          control: attributes =>
            html`<input type="email" name="email" value="${email}" autocomplete="username" autocapitalize="none"
              spellcheck="false" required !${attributes}>`,
        })}
        !${field({
          id: 'password',
          label: 'Password',
          problem,
          hint: {
            text: `At least ${passwordLength.least} characters, of any kind. A few words in a row are strong and easy to remember.`,
          },
          control: attributes =>
            html`<input type="password" name="password" autocomplete="new-password" minlength="${passwordLength.least}"
              maxlength="${passwordLength.most}" required !${attributes}>`,
        })}
        <button type="submit" class="wide">Create account</button>`,
      )}
      <p class="aside">Have an account? <a href="${sign_in}">Sign in</a></p>`,
  })
