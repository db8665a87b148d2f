import { html } from 'ghtml'
import type { InputError } from '../../domain/input-error.ts'
import { layout, type Page } from '../layout.ts'
import { newPasswordField } from '../parts/form/new-password.ts'
import { postForm } from '../parts/form/post-form.ts'

interface NewPasswordView {
  csrf: string
  token: string
  email: string
  problem: InputError | undefined
}

export const newPasswordPage = ({ csrf, token, email, problem }: NewPasswordView): Page =>
  layout({
    title: `${problem ? 'Error: ' : ''}Set your password`,
    width: 'narrow',
    body: html`<h1>Set your password</h1>
      <p class="lead">For the account ${email}.</p>
      !${postForm(
        `/password/${token}`,
        csrf,
        html`<input type="text" name="email" value="${email}" autocomplete="username" hidden>
        !${newPasswordField({ label: 'New password', problem })}
        <button type="submit" class="wide">Set password</button>`,
      )}`,
  })
