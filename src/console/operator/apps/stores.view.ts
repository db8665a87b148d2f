import { html } from 'ghtml'
import { splitScope } from '../../../contract/scopes.ts'
import type { InputError } from '../../../domain/input-error.ts'
import type { App } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { field } from '../../parts/form/field.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { withQuery } from '../../parts/with-query.ts'

interface AppStoresView {
  viewer: Viewer
  app: App
  /** What was typed. */
  ids: string
  problem?: InputError
}

export const appStoresPage = ({ viewer, app, ids, problem }: AppStoresView): Page =>
  layout({
    title: `${problem ? 'Error: ' : ''}Stores of ${app.name}`,
    viewer,
    width: 'narrow',
    body: html`<p class="back"><a href="/operator/apps/${app.id}">${app.name}</a></p>
      <h1>Stores of ${app.name}</h1>
      <p class="lead">It can read <a href="${withQuery('/operator/stores', { app: app.id })}">these stores</a> now.</p>
      !${postForm(
        `/operator/apps/${app.id}/stores`,
        viewer.csrf,
        html`!${field({
          id: 'store',
          label: 'Store ids',
          problem,
          hint: { text: 'One or several, with spaces or line breaks between them.' },
          control: attributes =>
            html`<textarea name="ids" rows="3" required spellcheck="false" !${attributes}>${ids}</textarea>`,
        })}
        <p><strong>Link</strong> gives the app access without the merchant’s consent, with the scopes that it has now
          (${splitScope(app.scope).join(', ')}); merchants see it among their connected apps. When the app gets another scope,
          link its stores again. <strong>End access</strong> also ends what merchants allowed for these stores.</p>
        <input type="hidden" name="scope" value="${app.scope}">
        <div class="actions">
          <button type="submit" name="action" value="link">Link</button>
          <button type="submit" name="action" value="end" class="danger">End access</button>
        </div>`,
      )}`,
  })
