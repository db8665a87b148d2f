import { html } from 'ghtml'
import type { AuditFilter } from '../../../domain/audit/log.ts'
import type { Seconds } from '../../../lib/clock.ts'
import { formatDatetime } from '../../../lib/datetime.ts'
import { auditActions } from '../../../domain/audit/sentences.ts'
import type { AuditPage } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { auditTable } from './table.view.ts'
import { withQuery } from '../../parts/with-query.ts'
import { card } from '../../parts/card.ts'
import { formatNumber } from '../../parts/format/numbers.ts'
import type { Action } from '../../parts/content.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { notice } from '../../parts/notice.ts'
import { pageHeader } from '../../parts/page-header.ts'
import { pagination } from '../../parts/pagination.ts'
import { searchForm } from '../../parts/form/search-form.ts'

const path = '/operator/audit'

export interface AuditView {
  viewer: Viewer
  filter: AuditFilter
  /** The page begins after this entry. */
  before: string | undefined
  page: AuditPage
  /** Only entries about this account or app are shown. */
  of: Action | null
  maxExported: number
}

/** The filter as query parameters. */
const auditQuery = ({ account_id, app_id, action, search, from, to }: AuditFilter) => ({
  account: account_id ?? null,
  app: app_id ?? null,
  action: action ?? null,
  q: search ?? null,
  from: dateOf(from),
  to: dateOf(to),
})

const dateOf = (at: Seconds | undefined): string | null =>
  at === undefined ? null : formatDatetime(at).slice(0, 10)

export const auditPage = (view: AuditView): Page =>
  layout({
    title: 'Audit log',
    viewer: view.viewer,
    path,
    body: html`!${pageHeader({
      title: 'Audit log',
      lead: { text: 'Who did what, when, and from where. Entries are never changed or deleted.' },
      actions: exportLink(view),
    })}
      !${view.of ? only(view.of) : ''}
      !${searchForm({
        action: path,
        label: 'Search',
        placeholder: 'Email, app, store id, address, request id',
        value: view.filter.search ?? '',
        keep: kept(view.filter),
        fields: html`!${actionField(view.filter)}!${dayFields(view.filter)}`,
      })}
      !${entries(view)}`,
  })

const exportLink = ({ filter, maxExported }: AuditView): string =>
  html`<a class="button secondary" href="${withQuery(`${path}/export`, auditQuery(filter))}" download
    title="At most the newest ${formatNumber(maxExported)} entries, one JSON object per line">Export</a>
    <a class="button secondary" href="${withQuery(`${path}/export`, { ...auditQuery(filter), format: 'csv' })}" download
      title="At most the newest ${formatNumber(maxExported)} entries, for a spreadsheet">Download CSV</a>`

const only = ({ href, label }: Action): string =>
  notice({
    tone: 'info',
    content: {
      html: html`Only entries about <a href="${href}">${label}</a>. <a href="${path}">Show all</a>`,
    },
  })

/** Parameters that a new search keeps. */
const kept = ({ account_id, app_id }: AuditFilter): Record<string, string> => ({
  ...(account_id !== undefined && { account: account_id }),
  ...(app_id !== undefined && { app: app_id }),
})

const actionField = ({ action }: AuditFilter): string => html`<label>Action
  <select name="action">
    <option value="">All</option>
    !${Object.entries(auditActions).map(
      ([name, { title }]) =>
        html`<option value="${name}" !${name === action ? 'selected' : ''}>${title}</option>`,
    )}
  </select></label>`

const dayFields = ({ from, to }: AuditFilter): string => html`<label>First day (UTC)
    <input type="date" name="from" value="${dateOf(from) ?? ''}"></label>
  <label>Last day (UTC) <input type="date" name="to" value="${dateOf(to) ?? ''}"></label>`

function entries({ filter, before, page: { lines, next } }: AuditView): string {
  const query = auditQuery(filter)
  const older = next === null ? null : withQuery(path, { ...query, before: next })
  if (lines.length === 0) return nothing(older, withQuery(path, query), before)
  return html`!${card({ body: auditTable('Entries of the audit log, newest first', lines) })}
    !${pagination({
      label: 'Entries of the audit log',
      newer: before === undefined ? null : withQuery(path, query),
      older,
      words: { newer: 'Newest', older: 'Older' },
    })}`
}

/** One search reads a limited number of entries, so an empty page may have older ones after it. */
const nothing = (older: string | null, newest: string, before: string | undefined): string =>
  older === null
    ? emptyState({
        title: 'No entries found',
        content: { text: 'No entry in the log matches the search.' },
        action: before === undefined ? { href: path, label: 'Show all' } : { href: newest, label: 'Newest' },
      })
    : emptyState({
        title: 'Nothing found so far',
        content: { text: 'The log has older entries that this search has not read yet.' },
        action: { href: older, label: 'Search older entries' },
      })
