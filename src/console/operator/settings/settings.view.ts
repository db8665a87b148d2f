import { html } from 'ghtml'
import { partText, whoOf } from '../../../domain/audit/sentences.ts'
import type { AuditLine, Role } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { postForm } from '../../parts/form/post-form.ts'
import { capitalized } from '../../parts/format/capitalized.ts'

const path = '/operator/settings'

interface SettingsView {
  viewer: Viewer
  signUp: boolean
  /** The audit entry of the last change; null before the first. */
  last: AuditLine | null
  /** Whether each role must use two-factor authentication. */
  required: readonly { role: Role; isRequired: boolean }[]
}

export const settingsPage = ({ viewer, signUp, last, required }: SettingsView): Page =>
  layout({
    title: 'Settings',
    viewer,
    path,
    body: html`!${pageHeader({
      title: 'Settings',
      lead: {
        text: 'Changes apply immediately on every node. Settings from the environment are not shown here.',
      },
    })}
      !${card({
        title: 'Developer sign-up',
        beside: signUp ? badge('On', 'good') : badge('Off'),
        body: html`<p>!${signUp ? isOn : isOff}</p>
          !${postForm(
            path,
            viewer.csrf,
            html`<input type="hidden" name="sign_up" value="${signUp ? 'off' : 'on'}">
            <button type="submit" class="${signUp ? 'secondary' : ''}">${signUp ? 'Turn sign-up off' : 'Turn sign-up on'}</button>`,
          )}
          <p class="muted">!${lastSet(last)}</p>`,
      })}
      !${card({
        title: 'Brand',
        beside: html`<a class="button secondary small" href="${path}/brand">Change the brand</a>`,
        body: html`<p>The name, logo, accent colour and support address that people see on these pages and in mails.</p>`,
      })}
      !${card({
        title: 'Two-factor authentication',
        body: html`<p>Everyone can turn it on for themselves. Where it is required, a person without it sets it up at the
            next sign-in. People who are signed in stay so until their session ends, at most 12 hours.</p>
          !${postForm(
            path,
            viewer.csrf,
            html`<input type="hidden" name="two_factor" value="save">
            <fieldset><legend>Required for</legend>!${required.map(
              ({
                role,
                isRequired,
              }) => html`<label class="choice"><input type="checkbox" name="roles" value="${role}" !${isRequired ? 'checked' : ''}>
                <span>${capitalized(role)}s</span></label>`,
            )}</fieldset>
            <button type="submit">Save</button>`,
          )}`,
      })}`,
  })

const isOn = html`Anyone can create a developer account at <a href="/signup">/signup</a>, register apps and ask merchants for
  access.`
const isOff = html`Developers cannot create an account themselves. You <a href="/operator/accounts/new">create the accounts</a>.`

const lastSet = (last: AuditLine | null): string =>
  last === null
    ? html`Not changed yet.`
    : html`Last changed by ${partText(whoOf(last))}, !${viewerTime(last.at)}.`
