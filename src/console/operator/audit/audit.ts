import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type AuditFilter, createAuditLog } from '../../../domain/audit/log.ts'
import { auditRecord } from '../../../domain/audit/record.ts'
import { isAuditAction } from '../../../domain/audit/sentences.ts'
import type { AsOperator } from '../../sign-in/as-operator.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { auditPage } from './audit.view.ts'
import { readListing } from '../listing.ts'
import type { Action } from '../../parts/content.ts'
import { sendHtml } from '../../send-html.ts'
import { viewerOf } from '../../viewer.ts'

const pageSize = 50
/** A file that a person can still open; more is what `tillgate audit` is for. */
const mostExported = 100_000

/** The audit log to look through, and to take along. */
export function operatorAudit(app: FastifyInstance, deps: ConsoleDeps & { asOperator: AsOperator }): void {
  const { storage, asOperator, clock } = deps
  const log = createAuditLog(deps)

  app.get('/operator/audit', async (request, reply) =>
    asOperator(request, reply, async account => {
      const filter = readFilter(request.query)
      const before = textOf(request.query, 'before')
      const [page, of] = await Promise.all([log.page(filter, { before, limit: pageSize }), subject(filter)])
      const view = { viewer: viewerOf(reply, account), filter, before, page, of, mostExported }
      return sendHtml(reply, auditPage(view))
    }),
  )

  app.get('/operator/audit/export', async (request, reply) =>
    asOperator(request, reply, async () => {
      const day = new Date(clock.now() * 1000).toISOString().slice(0, 10)
      return reply
        .type('application/x-ndjson')
        .header('content-disposition', `attachment; filename="audit-${day}.ndjson"`)
        .send(Readable.from(exported(readFilter(request.query))))
    }),
  )

  async function* exported(filter: AuditFilter): AsyncGenerator<string> {
    for await (const lines of log.pages(filter, mostExported)) {
      if (lines.length > 0) yield lines.map(line => `${auditRecord(line)}\n`).join('')
    }
  }

  /** Whose entries the filter asks for, by name. */
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

function readFilter(query: unknown): AuditFilter {
  const account_id = textOf(query, 'account')
  const app_id = textOf(query, 'app')
  const action = textOf(query, 'action')
  const { q } = readListing(query)
  return {
    ...(account_id !== undefined && { account_id }),
    ...(app_id !== undefined && { app_id }),
    ...(action !== undefined && isAuditAction(action) && { action }),
    ...(q !== '' && { search: q }),
  }
}

/** Undefined when it is not there, empty, or there twice. */
function textOf(query: unknown, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined
}
