import type { LoggedRequest, Storage } from '../../storage/port/index.ts'

/** Entries of one app that the log keeps, of whatever age. */
export const maxEntriesOfApp = 10_000
/** Entries that a process adds for an app before it trims that app's log again. */
const trimEvery = 1000
/** Apps trimmed after one flush. */
const maxTrimsAtOnce = 20
/** Apps counted in memory; beyond this limit all counts start again. */
const maxApps = 10_000

/**
 * Keeps each app's log near its limit: entries added since the last trim come on top. A process trims an app's log at
 * its first write for that app, so that short-lived processes trim too.
 */
export function createLogTrimming(storage: Pick<Storage, 'usage'>) {
  const untrimmed = new Map<string, number>()

  return {
    /** Never rejects: a trim that fails is due again at the next flush. */
    async written(entries: readonly LoggedRequest[]): Promise<void> {
      if (untrimmed.size > maxApps) untrimmed.clear()
      const seen = new Set<string>()
      for (const { app_id } of entries) {
        untrimmed.set(app_id, (untrimmed.get(app_id) ?? trimEvery) + 1)
        seen.add(app_id)
      }
      const due = [...seen].filter(app_id => (untrimmed.get(app_id) ?? 0) >= trimEvery)
      for (const app_id of due.slice(0, maxTrimsAtOnce)) {
        try {
          await storage.usage.trimLog(app_id, maxEntriesOfApp)
          untrimmed.set(app_id, 0)
        } catch {
          return
        }
      }
    },
  }
}
