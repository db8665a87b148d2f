import { html } from 'ghtml'
import type { Sessions } from '../../domain/accounts/sessions.ts'
import type { Account, TwoFactor } from '../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../layout.ts'
import { badge } from '../parts/badge.ts'
import { card } from '../parts/card.ts'
import { facts } from '../parts/facts.ts'
import { postForm } from '../parts/form/post-form.ts'
import { viewerTime } from '../parts/format/time.ts'
import { notice } from '../parts/notice.ts'
import { pageHeader } from '../parts/page-header.ts'
import { table } from '../parts/table.ts'

type Session = Awaited<ReturnType<Sessions['list']>>[number]

interface ProfileView {
  viewer: Viewer
  account: Account
  sessions: readonly Session[]
  second: TwoFactor | null
  /** The operator requires two-factor authentication of this role. */
  isRequired: boolean
  done: string
}

const doneTexts: Record<string, string> = {
  password: 'Your password has been changed. You are signed out everywhere else.',
  'signed-out': 'You are signed out everywhere else.',
  ended: 'The session has been ended.',
  off: 'Two-factor authentication is off.',
}

export const profileView = ({ viewer, account, sessions, second, isRequired, done }: ProfileView): Page => {
  const said = Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return layout({
    title: 'Your account',
    viewer,
    path: '/profile',
    body: html`!${pageHeader({ title: 'Your account' })}
      !${said === undefined ? '' : notice({ tone: 'good', content: { text: said } })}
      !${card({
        title: 'Sign-in',
        body: html`!${facts([
          { term: 'Email', text: account.email },
          { term: 'Role', text: account.role },
          { term: 'Since', html: viewerTime(account.created_at, { precision: 'day' }) },
        ])}
          <p class="actions"><a class="button secondary" href="/profile/password">Change password</a></p>`,
      })}
      !${card({
        title: 'Two-factor authentication',
        beside: second ? badge('On', 'good') : badge('Off'),
        body: second ? isOn(second, isRequired) : isOff,
      })}
      !${card({ title: 'Where you are signed in', body: sessionList(viewer, sessions) })}`,
  })
}

const isOff = html`<p>With it, a stolen password is not enough: you also type a code from an app on your phone.</p>
  <p class="actions"><a class="button secondary" href="/profile/two-factor">Set up two-factor authentication</a></p>`

const isOn = (
  { created_at, recovery_codes_left }: TwoFactor,
  isRequired: boolean,
): string => html`<p>On since !${viewerTime(created_at, { precision: 'day' })}. Recovery codes left: ${recovery_codes_left}.</p>
  <p class="actions">
    <a class="button secondary" href="/profile/two-factor">Set it up again</a>
    !${isRequired ? '' : html`<a class="button secondary" href="/profile/two-factor/off">Turn off</a>`}
  </p>
  !${isRequired ? html`<p class="muted">The operator requires it for your role.</p>` : ''}`

const sessionList = (viewer: Viewer, sessions: readonly Session[]): string => html`!${table<Session>({
  caption: 'Your sessions',
  rows: sessions,
  columns: [
    { title: 'Signed in', html: ({ created_at }) => viewerTime(created_at) },
    { title: 'Address', text: ({ address }) => address ?? 'unknown' },
    { title: 'Browser', text: ({ browser }) => browserName(browser) },
    {
      title: 'Action',
      html: ({ id, isThis }) => (isThis ? badge('This browser', 'good') : endForm(viewer, id)),
    },
  ],
})}
  !${
    sessions.length < 2
      ? ''
      : postForm(
          '/profile/sessions/end-others',
          viewer.csrf,
          html`<button type="submit" class="secondary">Sign out everywhere else</button>`,
        )
  }
  <p class="muted">A session ends by itself 12 hours after the sign-in.</p>`

const endForm = ({ csrf }: Viewer, id: string): string =>
  postForm(
    `/profile/sessions/${id}/end`,
    csrf,
    html`<button type="submit" class="secondary small">End</button>`,
  )

/** Enough of the User-Agent header for a person to recognize the browser. */
function browserName(browser: string | null): string {
  if (browser === null) return 'unknown'
  const named = /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(browser)?.[1]
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(browser)?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' }
  if (named === undefined) return browser.slice(0, 60)
  return [names[named] ?? named, system].filter(part => part !== undefined).join(' on ')
}
