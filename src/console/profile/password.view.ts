import { html } from 'ghtml'
import type { InputError } from '../../domain/input-error.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { currentPasswordField } from '../parts/form/current-password.ts'
import { newPasswordField } from '../parts/form/new-password.ts'
import { postForm } from '../parts/form/post-form.ts'
import { problemNotice } from '../parts/notice.ts'

interface ChangePasswordView {
  viewer: Viewer
  problem?: InputError
  refusal?: string
}

export const changePasswordPage = ({ viewer, problem, refusal }: ChangePasswordView): Page =>
  layout({
    title: `${problem || refusal ? 'Error: ' : ''}Change your password`,
    viewer,
    width: 'narrow',
    body: html`<h1>Change your password</h1>
      <p class="lead">You stay signed in here, and are signed out everywhere else.</p>
      !${problemNotice(refusal)}
      !${postForm(
        '/profile/password',
        viewer.csrf,
        html`<input type="text" name="email" value="${viewer.account.email}" autocomplete="username" hidden>
        !${currentPasswordField(problem)}
        !${newPasswordField({ label: 'New password', problem })}
        <div class="actions">
          <button type="submit">Change password</button>
          <a class="button secondary" href="/profile">Cancel</a>
        </div>`,
      )}`,
  })
