import { html } from 'ghtml'
import type { InputError } from '../../domain/input-error.ts'
import { layout, type Page } from '../layout.ts'
import { field } from '../parts/form/field.ts'
import { problemNotice } from '../parts/notice.ts'
import { newPasswordField } from '../parts/form/new-password.ts'
import { postForm } from '../parts/form/post-form.ts'

interface SignUpView {
  csrf: string
  next: string | null
  /** The address of the sign-in page. */
  sign_in: string
  email: string
  /** About one of the fields. */
  problem?: InputError
  /** About the attempt as a whole: too many of them. */
  refusal?: string
}

/** The page never contains the password: the person types it again. */
export const signUpPage = ({ csrf, next, sign_in, email, problem, refusal }: SignUpView): Page =>
  layout({
    title: problem || refusal ? 'Error: Create a developer account' : 'Create a developer account',
    width: 'narrow',
    body: html`<h1>Create a developer account</h1>
      <p class="lead">For developers who build apps on the API. Merchants get their accounts from the platform.</p>
      !${problemNotice(refusal)}
      !${postForm(
        '/signup',
        csrf,
        html`<input type="hidden" name="next" value="${next ?? ''}">
        !${field({
          id: 'email',
          label: 'Email',
          problem,
          hint: { text: 'You will sign in with this address.' },
          control: attributes =>
            html`<input type="email" name="email" value="${email}" autocomplete="username" autocapitalize="none"
              spellcheck="false" required !${attributes}>`,
        })}
        !${newPasswordField({ label: 'Password', problem })}
        <button type="submit" class="wide">Create account</button>`,
      )}
      <p class="aside">Already have an account? <a href="${sign_in}">Sign in</a></p>`,
  })
