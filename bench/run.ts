import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ingestRows } from './ingest.ts'
import { printRow } from './table.ts'

/** `npm run bench`: every figure beside its limit, measured in the same run. */

export interface BenchOptions {
  orders: number
  folder: string
}

/** One line of the table: what was measured, and as which part of the limit beside it. */
export interface Row {
  name: string
  figure: string
  limit: string
  ratio: number
  aim: number
  memory_mb: number | null
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    orders: { type: 'string' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'tillgate-bench-'))
const orders = Number(values.orders ?? (values.quick ? 20_000 : 100_000))
const results: Row[] = []
try {
  for await (const row of ingestRows({ orders, folder })) {
    if (values.only !== undefined && !row.name.includes(values.only)) continue
    results.push(row)
    printRow(row)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const machine = { node: process.version, platform: process.platform, arch: process.arch }
writeFileSync(
  new URL('./results.json', import.meta.url),
  `${JSON.stringify({ machine, orders, rows: results }, null, 2)}\n`,
)
