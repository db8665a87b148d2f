import { html } from 'ghtml'
import { type Part, whatOf, whoOf } from '../../../domain/audit/sentences.ts'
import type { AuditLine } from '../../../storage/port/index.ts'
import { card } from '../../parts/card.ts'
import { table } from '../../parts/table.ts'
import { viewerTime } from '../../parts/format/time.ts'

/** When, who, what, from where. */
export const auditTable = (caption: string, lines: readonly AuditLine[]): string =>
  table<AuditLine>({
    caption,
    rows: lines,
    columns: [
      { title: 'When', html: ({ at }) => viewerTime(at, { precision: 'second' }) },
      { title: 'Who', html: line => partHtml(whoOf(line)) },
      { title: 'What', html: line => whatOf(line).map(partHtml).join('') },
      { title: 'From', html: from },
    ],
  })

function from({ address, request_id }: AuditLine): string {
  if (address === null) return '–'
  return html`${address}!${request_id === null ? '' : html`<br><small class="muted"><span class="visually-hidden">request </span>${request_id}</small>`}`
}

const partHtml = (part: Part): string => {
  if (typeof part === 'string') return html`${part}`
  if ('store' in part) return html`<a href="/operator/stores/${part.store}">${part.store}</a>`
  if ('app' in part) return html`<a href="/operator/apps/${part.app}">${part.label}</a>`
  return html`<a href="/operator/accounts/${part.account}">${part.label}</a>`
}

/** The latest entries about one account or app, with a link to all of them. */
export const recentEvents = (lines: readonly AuditLine[], all: string): string =>
  card({
    title: 'Latest in the audit log',
    beside: lines.length === 0 ? '' : html`<a href="${all}">Show all</a>`,
    body:
      lines.length === 0
        ? html`<p class="muted">No entries yet.</p>`
        : auditTable('Latest entries of the audit log', lines),
  })
