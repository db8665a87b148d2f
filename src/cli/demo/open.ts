import type { Config } from '../../config.ts'
import { laterOrders } from '../../demo/live/later.ts'
import type { DemoOptions } from '../../demo/records.ts'
import type { Seconds } from '../../lib/clock.ts'
import { isPostgresUrl } from '../../lib/database-url.ts'
import { erase } from '../../storage/open.ts'
import type { Storage } from '../../storage/port/index.ts'
import { withStorage } from '../shared/command.ts'
import { continueDemo, fillDemo } from './fill.ts'
import { assertWritable, demoFiles, readSaved, removeSaved, type SavedDemo, writeSaved } from './saved.ts'

export interface OpenedDemo {
  saved: SavedDemo
  /** Where it is saved, and the database of Harbour Ledger. */
  files: ReturnType<typeof demoFiles>
  /** Whether the database held it already. */
  isKept: boolean
}

/** The demo that the database holds, or a new one in an empty database. A database that the demo did not create is never changed. */
export async function openDemo(config: Config, options: DemoOptions, reset: boolean): Promise<OpenedDemo> {
  const files = demoFiles(config.database)
  const saved = readSaved(files.saved)
  if (reset) {
    await withStorage(async storage => {
      if (!(await storage.isEmpty()) && !(await holds(storage, saved))) throw notADemo(config)
    })
    await erase(config.database, config)
    removeSaved(files)
  }
  return withStorage(async storage => {
    if (await storage.isEmpty()) {
      removeSaved(files)
      assertWritable(files.saved)
      const begun: Omit<SavedDemo, 'filled'> = { options, until: options.end, webhook: null, port: 0 }
      const filled = await fillDemo(storage, options, half =>
        writeSaved(files.saved, { ...begun, filled: half, isFilling: true }),
      )
      const made: SavedDemo = { ...begun, filled }
      writeSaved(files.saved, made)
      return { saved: made, files, isKept: false }
    }
    if (saved === null || !(await holds(storage, saved))) throw notADemo(config)
    if (saved.isFilling) throw new Error('the demo was interrupted while it was filled; --reset starts over')
    const continued = await bringUp(storage, saved, options.end)
    writeSaved(files.saved, continued)
    return { saved: continued, files, isKept: true }
  })
}

/** The orders of a demo end at the present day, also when it is run again later. */
async function bringUp(storage: Storage, saved: SavedDemo, until: Seconds): Promise<SavedDemo> {
  if (saved.until >= until) return saved
  const orders = [...laterOrders(saved.options, saved.until, until)]
  // Few orders in a short time make none; the next run covers this time too.
  if (orders.length === 0) return saved
  return { ...saved, until, filled: await continueDemo(storage, saved.filled, orders) }
}

/** Whether the database is the one that the file was written for: it has the app, whose id is random. */
const holds = async (storage: Storage, saved: SavedDemo | null): Promise<boolean> =>
  saved !== null && (await storage.apps.find(saved.filled.ledger.client_id)) !== null

/** Demo data could not be separated from real data again. */
function notADemo({ database }: Config): Error {
  // A URL may hold a password.
  const which = isPostgresUrl(database) ? 'the database' : `the database ${database}`
  return new Error(
    `${which} already holds data that is not a demo’s; run "tillgate serve" to serve it, or set TILLGATE_DATABASE to a new file for a demo`,
  )
}
