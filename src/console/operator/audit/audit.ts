import type { Static } from 'typebox'
import type { AuditFilter } from '../../../domain/audit/log.ts'
import { auditCells, auditColumns, auditRecord } from '../../../domain/audit/record.ts'
import { isAuditAction } from '../../../domain/audit/sentences.ts'
import { addDays, isDate, startOfDate } from '../../../lib/local-date.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import type { Action } from '../../parts/content.ts'
import { sendHtml } from '../../send-html.ts'
import { sendCsv } from '../../parts/csv-file.ts'
import { sendFile } from '../../parts/send-file.ts'
import { maxTextLength, readListing } from '../listing.ts'
import { auditPage } from './audit.view.ts'
import { formatDate } from '../../../lib/datetime.ts'

const pageSize = 50
/** A file that a person can still open; `tillgate audit` prints more. */
const maxExported = 100_000

const auditQuery = fields({
  q: text,
  page: text,
  account: text,
  app: text,
  action: text,
  before: text,
  /** Days of UTC, both included. */
  from: text,
  to: text,
  format: text,
})

/** The audit log, to search and to export. */
export function operatorAudit(scope: PageScope, { storage, auditLog, clock }: ConsoleDeps): void {
  const schema = { querystring: auditQuery }

  scope.get('/operator/audit', { schema }, async ({ viewer, query }, reply) => {
    const filter = readFilter(query)
    const before = given(query.before)
    const [page, of] = await Promise.all([
      auditLog.page(filter, { before, limit: pageSize }),
      subject(filter),
    ])
    return sendHtml(reply, auditPage({ viewer, filter, before, page, of, maxExported }))
  })

  scope.get('/operator/audit/export', { schema }, async ({ query }, reply) => {
    const day = formatDate(clock.now())
    if (query.format === 'csv') {
      return sendCsv(reply, `audit-${day}`, auditColumns, cells(readFilter(query)))
    }
    const file = { name: `audit-${day}.ndjson`, type: 'application/x-ndjson' }
    return sendFile(reply, file, exported(readFilter(query)))
  })

  async function* exported(filter: AuditFilter): AsyncGenerator<string> {
    for await (const lines of auditLog.pages(filter, maxExported)) {
      yield lines.map(line => `${auditRecord(line)}\n`).join('')
    }
  }

  async function* cells(filter: AuditFilter) {
    for await (const lines of auditLog.pages(filter, maxExported)) yield lines.map(auditCells)
  }

  /** The account or app that the filter names. */
  async function subject({ account_id, app_id }: AuditFilter): Promise<Action | null> {
    if (account_id !== undefined) {
      const label = (await storage.accounts.find(account_id))?.email ?? account_id
      return { href: `/operator/accounts/${encodeURIComponent(account_id)}`, label }
    }
    if (app_id === undefined) return null
    const label = (await storage.apps.find(app_id))?.name ?? app_id
    return { href: `/operator/apps/${encodeURIComponent(app_id)}`, label }
  }
}

function readFilter(query: Static<typeof auditQuery>): AuditFilter {
  const account_id = given(query.account)
  const app_id = given(query.app)
  const { q } = readListing(query)
  return {
    ...(account_id !== undefined && { account_id }),
    ...(app_id !== undefined && { app_id }),
    ...(isAuditAction(query.action) && { action: query.action }),
    ...(q !== '' && { search: q }),
    ...(isDate(query.from) && { from: startOfDate(query.from, 'UTC') }),
    ...(isDate(query.to) && { to: startOfDate(addDays(query.to, 1), 'UTC') - 1 }),
  }
}

const given = (value: string): string | undefined =>
  value === '' || value.length > maxTextLength ? undefined : value
