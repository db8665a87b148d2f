import { html } from 'ghtml'
import type { Account, App, AuditAction, AuditLine } from '../../../storage/port/index.ts'
import { appFrame, appsPath } from './frame.view.ts'
import type { Page, Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { pagination } from '../../parts/pagination.ts'
import { table } from '../../parts/table.ts'
import { viewerTime, viewerZone } from '../../parts/format/time.ts'

interface ActivityView {
  viewer: Viewer
  account: Account
  app: App
  lines: AuditLine[]
  first: boolean
  next: string | null
}

export const activityPage = ({ viewer, account, app, lines, first, next }: ActivityView): Page => {
  const path = `${appsPath}/${app.id}/activity`
  return appFrame({
    viewer,
    app,
    tab: '/activity',
    body: html`<p>Changes to this app, and when merchants connected or disconnected it. Merchants are not named, because they
        allowed the app, not a person.</p>
      !${lines.length === 0 ? nothing(path) : card({ body: lineTable(lines, account) })}
      !${pagination({
        label: 'Pages of activity',
        newer: first ? null : path,
        older: next === null ? null : `${path}?before=${encodeURIComponent(next)}`,
        words: { newer: 'Newest', older: 'Older' },
      })}`,
  })
}

const lineTable = (lines: AuditLine[], account: Account): string =>
  table<AuditLine>({
    caption: 'Activity, newest first',
    rows: lines,
    columns: [
      {
        title: 'When',
        note: viewerZone,
        html: ({ at }) => viewerTime(at, { precision: 'second', named: false }),
      },
      { title: 'What', text: sentenceOf, names: true },
      { title: 'Who', text: line => who(line, account) },
      // The address of anybody else is private.
      { title: 'From', text: line => (line.actor_id === account.id ? (line.address ?? '–') : '–') },
    ],
  })

const nothing = (path: string): string =>
  emptyState({
    title: 'No older activity',
    content: { text: 'This is the end of the log.' },
    action: { href: path, label: 'Show the newest' },
  })

/** Actions whose entries name no app. */
type WithoutApp =
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_out'
  | 'account_created'
  | 'account_disabled'
  | 'account_enabled'
  | 'password_changed'
  | 'password_link_created'
  | 'sessions_ended'
  | 'two_factor_on'
  | 'two_factor_off'
  | 'store_moved'
  | 'keys_rotated'
  | 'feed_renewed'
  | 'switch_set'
  | 'brand_changed'

type AppAction = Exclude<AuditAction, WithoutApp>

/** `detail` holds the app's name at creation, the fields that changed, or a webhook endpoint's host. */
const sentences: Record<AppAction, (line: AuditLine) => string> = {
  app_created: ({ detail }) => `Created the app${detail === null ? '' : ` as ${detail}`}`,
  app_changed: ({ detail }) => `Changed ${fieldNames(detail)}`,
  app_disabled: () => 'Disabled the app',
  app_enabled: () => 'Enabled the app',
  secret_added: () => 'Created a new secret',
  secret_retired: () => 'Retired a secret',
  access_allowed: line => `Allowed the app${ofStores(line)}`,
  access_denied: () => 'Denied the app access',
  access_changed: line => `Changed the stores that the app may read${toStores(line)}`,
  access_revoked: line => `Ended the app’s access${ofStores(line)}${why(line)}`,
  tokens_ended: line => `Ended tokens of the app${why(line)}`,
  access_linked: line => `Linked the app${ofStores(line)}`,
  webhook_created: ({ detail }) => `Added a webhook endpoint: ${detail}`,
  webhook_changed: ({ detail }) => `Changed a webhook endpoint: ${detail}`,
  webhook_deleted: ({ detail }) => `Deleted a webhook endpoint: ${detail}`,
  webhooks_paused: () => 'Paused the app’s webhooks',
  webhooks_resumed: () => 'Resumed the app’s webhooks',
}

/** The log of an app holds no other actions. */
const sentenceOf = (line: AuditLine): string => sentences[line.action as AppAction](line)

const count = ({ store_ids }: AuditLine): string =>
  store_ids.length === 1 ? 'one store' : `${store_ids.length} stores`
const ofStores = (line: AuditLine): string => (line.store_ids.length === 0 ? '' : `: ${count(line)}`)
const toStores = (line: AuditLine): string => `: now ${count(line)}`

/** Why the server or the app ended access or tokens: a token was used twice, or revoked. */
const why = ({ detail }: AuditLine): string => (detail === null ? '' : ` (${detail})`)

const fieldNames = (detail: string | null): string =>
  detail === null || detail === 'nothing' ? 'nothing' : detail.split(', ').map(fieldName).join(', ')

/** `logo`, `redirect_uris`, or what happened to a scope: `integration.order added`. */
const fieldName = (part: string): string =>
  part.includes(' ') ? part : `the ${part.replace('redirect_uris', 'redirect URIs')}`

/** Names nobody but the developer who looks at the page. A merchant acts on their own account. */
function who({ actor_kind, actor_id, account_id }: AuditLine, account: Account): string {
  if (actor_kind === 'app') return 'The app'
  if (actor_kind === 'server') return 'The server'
  if (actor_id === account.id) return account.email
  return actor_id !== null && actor_id === account_id ? 'A merchant' : 'The operator'
}
