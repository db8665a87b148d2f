import { html } from 'ghtml'
import type { InputError } from '../../../domain/input-error.ts'
import type { Role } from '../../../storage/port/index.ts'
import { layout, messagePage, type Page, type Viewer } from '../../layout.ts'
import { currentPasswordField } from '../../parts/form/current-password.ts'
import { field, problemAt } from '../../parts/form/field.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { capitalized } from '../../parts/format/capitalized.ts'

export const roles: readonly Role[] = ['merchant', 'developer', 'operator']

const about: Record<Role, string> = {
  merchant: 'Allows apps to read the stores that the platform gave to this email.',
  developer: 'Registers apps.',
  operator: 'Sees and changes everything on these pages.',
}

interface NewAccountView {
  viewer: Viewer
  email: string
  role: Role
  problem?: InputError
}

export const newAccountForm = ({ viewer, email, role, problem }: NewAccountView): Page =>
  layout({
    title: `${problem ? 'Error: ' : ''}Create account`,
    viewer,
    width: 'narrow',
    body: html`<h1>Create account</h1>
      <p class="lead">You get a link that lets the owner set the password.</p>
      !${postForm(
        '/operator/accounts/new',
        viewer.csrf,
        html`!${field({
          id: 'email',
          label: 'Email',
          problem,
          hint: { text: 'A merchant must have the email that the platform sends with the stores.' },
          control: attributes =>
            html`<input type="email" name="email" value="${email}" autocomplete="off" autocapitalize="none"
              spellcheck="false" required !${attributes}>`,
        })}
        <fieldset><legend>Role</legend>
          !${problemAt('role', problem)}
          !${roles.map(
            name => html`<label class="choice"><input type="radio" name="role" value="${name}" !${name === role ? 'checked' : ''}>
              <span>${capitalized(name)} <small>${about[name]}</small></span></label>`,
          )}
        </fieldset>
        !${currentPasswordField(problem)}
        <div class="actions">
          <button type="submit">Create account</button>
          <a class="button secondary" href="/operator/accounts">Cancel</a>
        </div>`,
      )}`,
  })

/** A reload, a double click or an old tab. */
export const sentAlreadyPage = (viewer: Viewer, back: string): Page =>
  messagePage(
    'This form has already been used',
    'The server processed it the first time and ignored the repeat. A link is shown only once: if you did not copy it, create a new one on the page of the account.',
    { viewer, action: { href: back, label: 'Continue' } },
  )
