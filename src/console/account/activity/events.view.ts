import { html } from 'ghtml'
import { type Part, whatOf } from '../../../domain/audit/sentences.ts'
import type { Account, AuditLine, AuditPage, MerchantStore } from '../../../storage/port/index.ts'
import { activityFrame, eventsPath } from './frame.view.ts'
import type { Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { pagination } from '../../parts/pagination.ts'
import { table } from '../../parts/table.ts'
import { storeTime, zoneName } from '../../parts/format/time.ts'
import { homeZone } from '../../parts/format/store-zone.ts'
import { withQuery } from '../../parts/with-query.ts'

interface EventsView {
  viewer: Viewer
  account: Account
  stores: readonly MerchantStore[]
  /** The entry that the page begins behind. */
  before: string | undefined
  page: AuditPage
}

export const eventsPage = (view: EventsView): string =>
  activityFrame({
    viewer: view.viewer,
    current: eventsPath,
    body: view.page.lines.length === 0 ? nothing : events(view),
  })

const nothing = emptyState({
  title: 'Nothing further back',
  content: { text: 'Sign-ins, and what you allow, change and revoke, are listed here.' },
  action: { href: eventsPath, label: 'Newest' },
})

function events({ account, stores, before, page: { lines, next } }: EventsView): string {
  const zone = homeZone(stores)
  const names = new Map(stores.map(({ id, name }) => [id, name]))
  return html`!${card({
    body: table<AuditLine>({
      caption: 'What was done with your account, newest first',
      rows: lines,
      columns: [
        {
          title: 'When',
          note: html` <small class="muted">${zoneName(zone)}</small>`,
          html: ({ at }) => storeTime(at, zone, { precision: 'second', named: false }),
        },
        { title: 'Who', text: line => who(line, account) },
        {
          title: 'What',
          text: line =>
            whatOf(line)
              .map(part => words(part, names))
              .join(''),
        },
        { title: 'From', html: line => html`<span class="nowrap">${from(line, account)}</span>` },
      ],
    }),
  })}
    <p class="muted">Something you did not do? Tell your platform’s operator: a new password ends every sign-in.</p>
    !${pagination({
      label: 'Events',
      newer: before === undefined ? null : eventsPath,
      older: next === null ? null : withQuery(eventsPath, { before: next }),
      words: { newer: 'Newest', older: 'Older' },
    })}`
}

/** Operators are not told by name: to a merchant they are the platform. */
function who({ actor_kind, actor_id, actor_name }: AuditLine, account: Account): string {
  if (actor_kind === 'server') return 'The server'
  if (actor_kind === 'app') return actor_name ?? 'An app'
  if (actor_kind === 'command') return 'The platform’s operator'
  if (actor_id === null) return 'Somebody not signed in'
  return actor_id === account.id ? 'You' : 'The platform’s operator'
}

const words = (part: Part, names: ReadonlyMap<bigint, string>): string => {
  if (typeof part === 'string') return part
  // Sold or gone since: it has no name that this merchant may know.
  if ('store' in part) return names.get(part.store) ?? `no. ${part.store}`
  return part.label
}

/** Of what was done in the merchant's name. */
const from = ({ actor_kind, actor_id, address }: AuditLine, account: Account): string =>
  address !== null && actor_kind === 'account' && (actor_id === null || actor_id === account.id)
    ? address
    : '–'
