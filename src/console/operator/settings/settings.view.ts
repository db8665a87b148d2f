import { html } from 'ghtml'
import { partText, whoOf } from '../../../domain/audit/sentences.ts'
import type { AuditLine } from '../../../storage/port/index.ts'
import { layout, type Viewer } from '../../layout.ts'
import { badge } from '../../parts/badge.ts'
import { card } from '../../parts/card.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { viewerTime } from '../../parts/format/time.ts'
import { postForm } from '../../parts/form/post-form.ts'

const path = '/operator/settings'

interface SettingsView {
  viewer: Viewer
  signUp: boolean
  /** When the switch was last turned, and by whom. */
  last: AuditLine | null
}

export const settingsPage = ({ viewer, signUp, last }: SettingsView): string =>
  layout({
    title: 'Settings',
    viewer,
    path,
    body: html`!${pageHeader({
      title: 'Settings',
      lead: { text: 'They hold at once, on every node. What the environment sets is not here.' },
    })}
      !${card({
        title: 'Sign-up of developers',
        beside: signUp ? badge('On', 'good') : badge('Off'),
        body: html`<p>!${signUp ? isOn : isOff}</p>
          !${postForm(
            path,
            viewer.csrf,
            html`<input type="hidden" name="sign_up" value="${signUp ? 'off' : 'on'}">
            <button type="submit" class="${signUp ? 'secondary' : ''}">${signUp ? 'Turn sign-up off' : 'Turn sign-up on'}</button>`,
          )}
          <p class="muted">!${lastSet(last)}</p>`,
      })}`,
  })

const isOn = html`Anybody can make a developer account at <a href="/signup">/signup</a>, create apps with it and ask
  merchants for access.`
const isOff = html`Developer accounts are made on the command line alone, with <code>tillgate account create</code>.`

const lastSet = (last: AuditLine | null): string =>
  last === null
    ? html`Not changed yet.`
    : html`Last changed by ${partText(whoOf(last))}, !${viewerTime(last.at)}.`
