import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import type { Seconds } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/ids.ts'
import type { AuditLine, AuditPage, AuditQuery, Storage } from '../../storage/port/index.ts'

export interface AuditFilter extends Pick<AuditQuery, 'account_id' | 'app_id' | 'action' | 'search'> {
  /** Only entries of these seconds, both included. */
  from?: Seconds
  to?: Seconds
}

/** Entries searched by one statement: a few milliseconds of SQLite, which blocks the process meanwhile. */
const maxScanned = 2000
/** Entries searched for one page; the next page continues from there. */
const maxScannedForPage = 30_000
/** Lines read at a time for an export. */
const chunk = 500

/** Reads the audit log, newest first, in small statements so that other requests can run in between. */
export function createAuditLog({ storage }: { storage: Pick<Storage, 'audit'> }) {
  /** A page may have fewer lines than `limit`, even none; only `next` being null means the end. */
  async function page(
    { from, to, ...filter }: AuditFilter,
    { before, limit }: { before?: string | undefined; limit: number },
  ): Promise<AuditPage> {
    // Entries are sorted by an id that begins with their time.
    const lowest = from === undefined ? '' : firstIdAt(from)
    const searching = (filter.search ?? '') !== ''
    const scan_limit = searching ? maxScanned : limit + 1
    const lines: AuditLine[] = []
    let next = to === undefined ? (before ?? null) : lower(firstIdAt(to + 1), before)
    for (let scanned = 0; scanned < maxScannedForPage; scanned += scan_limit) {
      const place = next === null ? {} : { before: next }
      const found = await storage.audit.list({ ...filter, ...place, limit: limit - lines.length, scan_limit })
      lines.push(...found.lines.filter(({ id }) => id >= lowest))
      next = found.next !== null && found.next > lowest ? found.next : null
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

const lower = (bound: string, before: string | undefined): string =>
  before !== undefined && before < bound ? before : bound

export type AuditLog = ReturnType<typeof createAuditLog>
