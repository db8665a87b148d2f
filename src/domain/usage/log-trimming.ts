import type { LoggedRequest, Storage } from '../../storage/port/index.ts'

/** Entries of one app that stay in the log, however young. */
export const keptOfApp = 10_000
/** Entries that a process adds for an app until it looks again whether there are too many. */
const trimEvery = 1000
/** Apps looked at behind one flush. */
const trimsAtOnce = 20
/** Apps remembered; beyond, all are forgotten, and looked at anew. */
const mostApps = 10_000

/**
 * Keeps the log of each app within its bound, but for what the processes have added since they last looked. Each looks
 * when it first writes of an app, so that also one that never lives long does.
 */
export function createLogTrimming(storage: Pick<Storage, 'usage'>) {
  const untrimmed = new Map<string, number>()

  return {
    /** Never rejects: what fails now is due again at the next flush. */
    async written(entries: readonly LoggedRequest[]): Promise<void> {
      if (untrimmed.size > mostApps) untrimmed.clear()
      const seen = new Set<string>()
      for (const { app_id } of entries) {
        untrimmed.set(app_id, (untrimmed.get(app_id) ?? trimEvery) + 1)
        seen.add(app_id)
      }
      const due = [...seen].filter(app_id => (untrimmed.get(app_id) ?? 0) >= trimEvery)
      for (const app_id of due.slice(0, trimsAtOnce)) {
        try {
          await storage.usage.trimLog(app_id, keptOfApp)
          untrimmed.set(app_id, 0)
        } catch {
          return
        }
      }
    },
  }
}
