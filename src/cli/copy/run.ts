import { readConfig } from '../../config.ts'
import { addressProblem } from '../../lib/database-url.ts'
import { createStopRequest, type StopRequest } from '../../lib/stop-request.ts'
import type { Difference } from '../../storage/copy/compare.ts'
import { type Copied, copyAll, countRows } from '../../storage/copy/run.ts'
import { copyFrom, openCopy } from '../../storage/open.ts'
import { DetailedError, exitCodes } from '../shared/errors.ts'
import { createProgress } from '../shared/progress.ts'
import { note, print } from '../shared/output.ts'

export interface CopyOptions {
  from: string
  to: string
  check?: boolean
  json?: boolean
}

/** Differences that are printed one by one. */
const shownDifferences = 20

/** Copies, or only compares, until the end or Ctrl-C, and prints the result. */
export async function runCopy(options: CopyOptions): Promise<void> {
  const stop = createStopRequest()
  try {
    const copied = await copy(options, stop)
    if (copied) report(copied, options)
    else {
      note('stopped; run the same command again to continue')
      process.exitCode = exitCodes.interrupted
    }
  } finally {
    stop.release()
  }
}

async function copy({ from, to, check = false }: CopyOptions, stop: StopRequest): Promise<Copied | null> {
  refuseUnknown('--from', from)
  refuseUnknown('--to', to)
  const config = readConfig()
  return copyFrom(from, config, async source => {
    const target = await openCopy(to, config)
    try {
      const total = await countRows(source)
      const progress = createProgress(check ? 'check' : 'copy', { total, unit: 'rows' })
      stop.listen()
      try {
        return await copyAll(source, target, { check, signal: stop.signal, onRows: progress.advance })
      } finally {
        progress.done()
      }
    } finally {
      await target.close()
    }
  })
}

function refuseUnknown(option: string, database: string): void {
  const problem = addressProblem(database)
  if (problem !== null) throw new Error(`${option} ${problem}`)
  if (database === ':memory:') throw new Error('a database in :memory: is lost when the command ends')
}

function report({ rows, written, removed, differences }: Copied, { check, json }: CopyOptions): void {
  if (differences.length > 0) throw differ(differences)
  const { accounts, apps, stores, items, orders } = rows
  const counts = `${accounts} accounts, ${apps} apps, ${stores} stores, ${items} items and ${orders} orders`
  const done = check ? 'nothing was copied' : `${written} rows written, ${removed} removed`
  print(
    json,
    { accounts, apps, stores, items, orders, written, removed, checked: true },
    `${counts}; ${done}; the counts and checksums of every store are the same in both`,
  )
}

function differ(differences: readonly Difference[]): Error {
  const details = differences.slice(0, shownDifferences).map(({ table, store, source_rows, target_rows }) => {
    const where = store === '' ? table : `${table} of store ${store}`
    return source_rows === target_rows
      ? `${where}: ${source_rows} rows in both, with different content`
      : `${where}: ${source_rows} rows in the source, ${target_rows} in the target`
  })
  if (differences.length > shownDifferences) details.push(`and ${differences.length - shownDifferences} more`)
  const stores = new Set(differences.map(({ store }) => store).filter(store => store !== ''))
  const message =
    stores.size === 0
      ? 'the target differs from the source'
      : `the target differs from the source: ${stores.size === 1 ? 'store' : 'stores'} ${[...stores].slice(0, shownDifferences).join(', ')}`
  return new DetailedError(message, details)
}
