import { setImmediate as turn } from 'node:timers/promises'
import type { AuditLine, AuditPage, AuditQuery, Storage } from '../../storage/port/index.ts'

export type AuditFilter = Pick<AuditQuery, 'account_id' | 'app_id' | 'action' | 'search'>

/** Entries looked at for a text at a time: a few milliseconds of the embedded database, which answers nobody meanwhile. */
const lookAtOnce = 2000
/** For one page; whoever wants to look further back asks for the next one. */
const lookForPage = 200_000
/** Lines that are read at a time when all are wanted. */
const chunk = 500

/** The audit log as it is read: newest first, at the pace of the reader, without holding anybody up. */
export function createAuditLog({ storage }: { storage: Pick<Storage, 'audit'> }) {
  /** Fewer lines than `limit`, and even none, do not mean the end: `next` does, when it is null. */
  async function page(
    filter: AuditFilter,
    { before, limit }: { before?: string | undefined; limit: number },
  ): Promise<AuditPage> {
    const searching = (filter.search ?? '') !== ''
    const look = searching ? lookAtOnce : limit + 1
    const lines: AuditLine[] = []
    let next = before ?? null
    for (let looked = 0; looked < lookForPage; looked += look) {
      const place = next === null ? {} : { before: next }
      const found = await storage.audit.list({ ...filter, ...place, limit: limit - lines.length, look })
      lines.push(...found.lines)
      next = found.next
      if (next === null || lines.length === limit) break
      await turn()
    }
    return { lines, next }
  }

  return {
    page,
    /** Page by page, up to `most` lines in all; one page is in memory at a time. */
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
