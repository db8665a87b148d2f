import { html } from 'ghtml'
import { integrationScopes, scopes } from '../contract/scopes.ts'
import type { InputError } from '../domain/input-error.ts'
import { layout } from './layout.ts'
import { postForm } from './post-form.ts'

/** As typed: one redirect URI a line. */
export interface AppForm {
  name: string
  redirect_uris: string
  scopes: string[]
  public: boolean
}

export const emptyForm: AppForm = { name: '', redirect_uris: '', scopes: integrationScopes, public: false }

interface NewAppView {
  form: AppForm
  problem?: InputError
  csrf: string
}

export function newAppPage({ form, problem, csrf }: NewAppView): string {
  /** What a screen reader says with the field, and what the browser marks it by. */
  const marks = (field: string) =>
    problem?.field === field
      ? html`aria-invalid="true" aria-describedby="${field}-problem ${field}-hint"`
      : html`aria-describedby="${field}-hint"`
  const problemAt = (field: string) =>
    problem?.field === field
      ? html`<p class="problem" role="alert" id="${field}-problem">${sentence(problem.message)}</p>`
      : ''

  return layout(
    problem ? 'Create an app: not yet' : 'Create an app',
    html`<p class="back"><a href="/developer/apps">My apps</a></p>
      <h1>Create an app</h1>
      !${postForm(
        '/developer/apps/new',
        csrf,
        html`<label for="name">Name</label>
        !${problemAt('name')}
        <input id="name" name="name" value="${form.name}" autocomplete="off" required !${marks('name')}>
        <small id="name-hint">Merchants see it when they are asked to allow your app.</small>
        <label for="redirect_uris">Redirect URIs</label>
        !${problemAt('redirect_uri')}
        <textarea id="redirect_uris" name="redirect_uris" rows="3" spellcheck="false" !${marks('redirect_uri')}>
${form.redirect_uris}</textarea>
        <small id="redirect_uri-hint">One a line: where merchants are sent back to, such as
          https://app.example.com/callback. https, or http on this computer (127.0.0.1, localhost). An app that only
          reads with its own token needs none.</small>
        <fieldset !${marks('scope')}>
          <legend>Scopes</legend>
          !${problemAt('scope')}
          !${integrationScopes.map(
            scope => html`<label class="choice">
              <input type="checkbox" name="scope" value="${scope}" !${form.scopes.includes(scope) ? 'checked' : ''}>
              <span>${scope}<small class="muted">${scopes[scope].gives}</small></span>
            </label>`,
          )}
          <small id="scope-hint" class="muted">Ask for what your app needs and no more.</small>
        </fieldset>
        <label class="choice">
          <input type="checkbox" name="public" value="yes" !${form.public ? 'checked' : ''}>
          <span>Public app<small class="muted">Runs in a browser, on a phone or on somebody’s computer, where a secret
            cannot be kept: it gets none and uses PKCE.</small></span>
        </label>
        <div class="actions">
          <button type="submit">Create app</button>
          <a role="button" class="secondary" href="/developer/apps">Cancel</a>
        </div>`,
      )}`,
  )
}

/** Messages begin in lower case, for they follow an option's name on the command line. */
const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
