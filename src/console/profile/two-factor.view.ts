import { html } from 'ghtml'
import type { InputError } from '../../domain/input-error.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { currentPasswordField } from '../parts/form/current-password.ts'
import { postForm } from '../parts/form/post-form.ts'

interface TurnOffView {
  viewer: Viewer
  problem?: InputError
}

export const turnOffPage = ({ viewer, problem }: TurnOffView): Page =>
  layout({
    title: `${problem ? 'Error: ' : ''}Turn off two-factor authentication`,
    viewer,
    width: 'narrow',
    body: html`<h1>Turn off two-factor authentication?</h1>
      <p class="lead">Your password alone will be enough to sign in, and your recovery codes stop working.</p>
      !${postForm(
        '/profile/two-factor/off',
        viewer.csrf,
        html`!${currentPasswordField(problem)}
        <div class="actions">
          <button type="submit" class="danger">Turn off</button>
          <a class="button secondary" href="/profile">Cancel</a>
        </div>`,
      )}`,
  })
