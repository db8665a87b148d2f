import { html } from 'ghtml'
import { type Part, whatOf } from '../../../domain/audit/sentences.ts'
import type { Account, AuditLine, AuditPage, MerchantStore } from '../../../storage/port/index.ts'
import { activityFrame, eventsPath } from './frame.view.ts'
import type { Page, Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { pagination } from '../../parts/pagination.ts'
import { table } from '../../parts/table.ts'
import { storeTime, zoneName } from '../../parts/format/time.ts'
import { storeNames } from '../../parts/format/store-name.ts'
import { homeZone } from '../../parts/format/store-zone.ts'
import { withQuery } from '../../parts/with-query.ts'

interface EventsView {
  viewer: Viewer
  account: Account
  stores: readonly MerchantStore[]
  /** The page begins after this entry. */
  before: string | undefined
  page: AuditPage
}

export const eventsPage = (view: EventsView): Page =>
  activityFrame({
    viewer: view.viewer,
    current: eventsPath,
    body: view.page.lines.length === 0 ? nothing : events(view),
  })

const nothing = emptyState({
  title: 'No older events',
  content: { text: 'This page lists sign-ins, and the access that you allow, change and revoke.' },
  action: { href: eventsPath, label: 'Newest' },
})

function events({ account, stores, before, page: { lines, next } }: EventsView): string {
  const zone = homeZone(stores)
  const nameOf = storeNames(stores)
  const names = new Map(stores.map(store => [store.id, nameOf(store)]))
  return html`!${card({
    body: table<AuditLine>({
      caption: 'Account events, newest first',
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
    <p class="muted">Do you see something that you did not do? Ask your platform’s operator for a new password: it signs out everyone who uses
      your account.</p>
    !${pagination({
      label: 'Events',
      newer: before === undefined ? null : eventsPath,
      older: next === null ? null : withQuery(eventsPath, { before: next }),
      words: { newer: 'Newest', older: 'Older' },
    })}`
}

/** Operators are not named: to a merchant they are the platform. */
function who({ actor_kind, actor_id, actor_name }: AuditLine, account: Account): string {
  if (actor_kind === 'server') return 'The server'
  if (actor_kind === 'app') return actor_name ?? 'An app'
  if (actor_kind === 'command') return 'The platform’s operator'
  if (actor_id === null) return 'Someone who was not signed in'
  return actor_id === account.id ? 'You' : 'The platform’s operator'
}

const words = (part: Part, names: ReadonlyMap<bigint, string>): string => {
  if (typeof part === 'string') return part
  // The store was sold or removed since, so this merchant may not see its name.
  if ('store' in part) return names.get(part.store) ?? `no. ${part.store}`
  return part.label
}

/** The address is shown for the merchant's own actions, and for sign-ins that somebody tried as them. */
const from = ({ actor_kind, actor_id, address }: AuditLine, account: Account): string =>
  address !== null && actor_kind === 'account' && (actor_id === null || actor_id === account.id)
    ? address
    : '–'
