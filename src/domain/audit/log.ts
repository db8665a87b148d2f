import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import type { AuditLine, AuditPage, AuditQuery, Storage } from '../../storage/port/index.ts'

export type AuditFilter = Pick<AuditQuery, 'account_id' | 'app_id' | 'action' | 'search'>

/** Entries searched by one statement: a few milliseconds of SQLite, which blocks the process meanwhile. */
const maxScanned = 2000
/** Entries searched for one page; the next page continues from there. */
const maxScannedForPage = 200_000
/** Lines read at a time for an export. */
const chunk = 500

/** Reads the audit log, newest first, in small statements so that other requests can run in between. */
export function createAuditLog({ storage }: { storage: Pick<Storage, 'audit'> }) {
  /** A page may have fewer lines than `limit`, even none; only `next` being null means the end. */
  async function page(
    filter: AuditFilter,
    { before, limit }: { before?: string | undefined; limit: number },
  ): Promise<AuditPage> {
    const searching = (filter.search ?? '') !== ''
    const look = searching ? maxScanned : limit + 1
    const lines: AuditLine[] = []
    let next = before ?? null
    for (let scanned = 0; scanned < maxScannedForPage; scanned += look) {
      const place = next === null ? {} : { before: next }
      const found = await storage.audit.list({ ...filter, ...place, limit: limit - lines.length, look })
      lines.push(...found.lines)
      next = found.next
      if (next === null || lines.length === limit) break
      await yieldEventLoop()
    }
    return { lines, next }
  }

  return {
    page,
    /** Page by page, up to `most` lines in total; only one page is in memory at a time. */
    async *pages(filter: AuditFilter, most: number): AsyncGenerator<AuditLine[]> {
      let next: string | undefined
      for (let left = most; left > 0; ) {
        const found = await page(filter, { before: next, limit: Math.min(chunk, left) })
        yield found.lines
        if (found.next === null) return
        left -= found.lines.length
        next = found.next
      }
    },
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>
