import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Engine, postgresEngine, sqliteEngine } from './engine.ts'
import { ingestRows } from './ingest.ts'
import { pageRows } from './pages.ts'
import { makeRecords, type Records } from './records.ts'
import { printRow } from './table.ts'

/** `npm run bench`: every figure beside its limit, measured in the same run. */

export interface Bench {
  engine: Engine
  records: Records
  /** Seconds that one stretch of load lasts. */
  seconds: number
}

/** One line of the table: what was measured, and as which part of the limit beside it. */
export interface Row {
  name: string
  figure: string
  limit: string
  ratio: number
  /** Null where a figure is only reported. */
  aim: number | null
  memory_mb: number | null
}

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    orders: { type: 'string' },
  },
})
if (values.engine !== 'sqlite' && values.engine !== 'postgres') {
  console.error(`bench: --engine is "${values.engine}"; it must be sqlite or postgres`)
  process.exit(2)
}

const groups = { ingest: ingestRows, pages: pageRows }
const folder = mkdtempSync(join(tmpdir(), 'tillgate-bench-'))
const engine = values.engine === 'sqlite' ? sqliteEngine(folder) : await postgresEngine()
const results: Row[] = []
try {
  const orders = Number(values.orders ?? (values.quick ? 20_000 : 100_000))
  const records = await makeRecords(orders, folder)
  const bench = { engine, records, seconds: values.quick ? 2 : 5 }
  for (const [name, rows] of Object.entries(groups)) {
    if (!name.includes(values.only)) continue
    for await (const row of rows(bench)) {
      results.push(row)
      printRow(row)
    }
  }
  const machine = { node: process.version, platform: process.platform, arch: process.arch }
  const file = new URL('./results.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify({ machine, engine: engine.name, orders, rows: results }, null, 2)}\n`)
} finally {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
}
