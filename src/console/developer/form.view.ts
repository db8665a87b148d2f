import { html } from 'ghtml'
import { integrationScopes, scopes, splitScope } from '../../contract/scopes.ts'
import type { InputError } from '../../domain/input-error.ts'
import type { App } from '../../storage/port/index.ts'
import { appsPath } from './app/frame.view.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import type { Action } from '../parts/content.ts'
import { choice } from '../parts/form/choice.ts'
import { field, marks, problemAt } from '../parts/form/field.ts'
import { pageHeader } from '../parts/page-header.ts'
import { postForm } from '../parts/form/post-form.ts'

/** As typed: one redirect URI per line. */
export interface ProfileForm {
  name: string
  website: string
  publisher: string
  redirect_uris: string
  scopes: readonly string[]
}

export interface AppForm extends ProfileForm {
  public: boolean
}

export const emptyForm: AppForm = {
  name: '',
  website: '',
  publisher: '',
  redirect_uris: '',
  // What an app needs is its developer's decision; every app that merchants connect needs this one.
  scopes: ['integration.store'],
  public: false,
}

export const formOf = ({ name, website, publisher, redirect_uris, scope }: App): ProfileForm => ({
  name,
  website: website ?? '',
  publisher: publisher ?? '',
  redirect_uris: redirect_uris.join('\n'),
  scopes: splitScope(scope),
})

interface FormPage {
  title: string
  problem: InputError | undefined
  viewer: Viewer
  /** The path of the page, which the form is sent to. */
  action: string
  back: Action
  /** HTML of the fields. */
  fields: string
  submit: string
}

const formPage = ({ title, problem, viewer, action, back, fields, submit }: FormPage): Page =>
  layout({
    title: problem ? `Error: ${title}` : title,
    viewer,
    path: action,
    body: html`!${pageHeader({ title, back })}
      <section class="card form">!${postForm(
        action,
        viewer.csrf,
        html`!${fields}
        <div class="actions">
          <button type="submit">${submit}</button>
          <a class="button secondary" href="${back.href}">Cancel</a>
        </div>`,
      )}</section>`,
  })

interface NewAppView {
  viewer: Viewer
  form: AppForm
  problem?: InputError
}

export const newAppPage = ({ viewer, form, problem }: NewAppView): Page =>
  formPage({
    title: 'Create an app',
    viewer,
    problem,
    action: `${appsPath}/new`,
    back: { href: appsPath, label: 'My apps' },
    fields: html`!${profileFields(form, problem)}
      !${scopeChoice(form, problem, 'Pick only what your app needs. You can add scopes later; merchants must then connect the app again.')}
      !${choice({
        name: 'public',
        value: 'yes',
        label: 'Public app',
        checked: form.public,
        hint: 'Runs on other people’s phones or computers, where it cannot keep a secret. It gets none and uses PKCE.',
      })}`,
    submit: 'Create app',
  })

interface EditAppView {
  viewer: Viewer
  app: App
  form: ProfileForm
  problem?: InputError
}

export const editAppPage = ({ viewer, app, form, problem }: EditAppView): Page =>
  formPage({
    title: `Edit ${app.name}`,
    viewer,
    problem,
    action: `${appsPath}/${app.id}/edit`,
    back: { href: `${appsPath}/${app.id}`, label: app.name },
    fields: html`!${profileFields(form, problem)}
      !${scopeChoice(
        form,
        problem,
        'New scopes work for a merchant’s stores once the merchant connects the app again, and for linked stores once the ' +
          'operator links them again. A scope that you remove stops working at once, also for tokens already issued. If you ' +
          'add it back, merchants must allow it again.',
      )}
      <p class="muted">You cannot change the type (${app.public ? 'public' : 'confidential'}). To use the other one, create
        another app.</p>`,
    submit: 'Save changes',
  })

const profileFields = (form: ProfileForm, problem: InputError | undefined): string =>
  [
    field({
      id: 'name',
      label: 'Name',
      problem,
      hint: { text: 'Merchants see this name when your app asks for access.' },
      control: attributes =>
        html`<input name="name" value="${form.name}" autocomplete="off" required !${attributes}>`,
    }),
    field({
      id: 'website',
      label: 'Website (optional)',
      problem,
      hint: { text: 'Your app’s website, such as https://app.example.com. Merchants see it.' },
      control: attributes =>
        html`<input type="url" name="website" value="${form.website}" autocomplete="off" !${attributes}>`,
    }),
    field({
      id: 'publisher',
      label: 'Publisher (optional)',
      problem,
      hint: { text: 'The company or person behind the app. Merchants see it.' },
      control: attributes =>
        html`<input name="publisher" value="${form.publisher}" autocomplete="organization" !${attributes}>`,
    }),
    field({
      id: 'redirect_uri',
      label: 'Redirect URIs',
      problem,
      hint: {
        text:
          'The addresses that merchants return to, one per line, such as https://app.example.com/callback. Use https, or ' +
          'http on your own computer (127.0.0.1, localhost). An app that only uses client_credentials needs none.',
      },
      // Browsers drop a line break right after the tag.
      control: attributes => html`<textarea name="redirect_uris" rows="3" spellcheck="false" !${attributes}>
${form.redirect_uris}</textarea>`,
    }),
  ].join('')

const scopeChoice = (
  form: ProfileForm,
  problem: InputError | undefined,
  hint: string,
): string => html`<fieldset !${marks('scope', problem)}>
  <legend>Scopes</legend>
  !${problemAt('scope', problem)}
  !${integrationScopes.map(scope =>
    choice({
      name: 'scope',
      value: scope,
      label: scope,
      hint: scopes[scope].gives,
      checked: form.scopes.includes(scope),
    }),
  )}
  <small id="scope-hint">${hint}</small>
</fieldset>`
