import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { regressions, saveBaseline } from './report/baseline.ts'
import type { Bench } from './bench.ts'
import { writeCharts } from './report/charts.ts'
import { type Data, type DataOptions, makeData } from './data.ts'
import { replaceRows, writeDocument } from './report/document.ts'
import { saveRates } from './report/overview.ts'
import { postgresEngine, sqliteEngine } from './engine.ts'
import { generator } from './load/load.ts'
import type { Row } from './row.ts'
import { groups } from './rows/index.ts'
import { printRow, printSummary } from './report/table.ts'

/** `npm run bench`: every figure with its reference, measured in the same run. */

interface Options {
  engine: string
  quick: boolean
  full: boolean
  check: boolean
  save: boolean
  only: string
  orders?: string
  report: boolean
}

const values = new Command('npm run bench --')
  .option('--engine <name>', 'sqlite or postgres', 'sqlite')
  .option('--quick', 'fewer orders and shorter rounds', false)
  .option('--full', 'also the rows that take long', false)
  .option('--check', 'fail when a figure is worse than the saved ones', false)
  .option('--save', 'save the figures to compare with later', false)
  .option('--only <text>', `groups with this in their name: ${Object.keys(groups).join(', ')}`, '')
  .option('--orders <n>', 'how many orders the database has')
  .option('--no-report', 'print the figures only')
  .parse()
  .opts<Options>()
if (values.engine !== 'sqlite' && values.engine !== 'postgres') {
  console.error(`bench: --engine is "${values.engine}"; it must be sqlite or postgres`)
  process.exit(2)
}
const orders = Number(values.orders ?? (values.quick ? 20_000 : 100_000))
if (!(Number.isSafeInteger(orders) && orders > 0)) {
  console.error(`bench: --orders is "${values.orders}"; it must be a whole number`)
  process.exit(2)
}
const wanted = Object.entries(groups).filter(([name]) => name.includes(values.only))
if (wanted.length === 0) {
  console.error(
    `bench: --only is "${values.only}"; it must be part of one of ${Object.keys(groups).join(', ')}`,
  )
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'tillgate-bench-'))
const engine = values.engine === 'sqlite' ? sqliteEngine(folder) : await postgresEngine()
const made = new Map<string, Promise<Data>>()
const bench: Bench = {
  engine,
  folder,
  orders,
  quick: values.quick,
  full: values.full,
  seconds: values.quick ? 2 : 4,
  rounds: values.quick ? 3 : 5,
  data(options: DataOptions) {
    const name = JSON.stringify(options)
    const known = made.get(name) ?? makeData(engine, options)
    made.set(name, known)
    return known
  },
}
const rows: Row[] = []
try {
  console.log(`${engine.name}, ${orders.toLocaleString('en')} orders, load by ${generator}\n`)
  for (const [name, group] of wanted) {
    try {
      for await (const row of group(bench)) {
        rows.push(row)
        printRow(row)
      }
    } catch (error) {
      // Go on: the other rows are still useful.
      console.error(`bench: ${name} could not be measured:`, error)
      process.exitCode = 1
    }
  }
} finally {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
}
printSummary(rows)
const machine = {
  node: process.version,
  platform: process.platform,
  arch: process.arch,
  cores: availableParallelism(),
  processor: cpus()[0]?.model,
  memory_gb: Math.round(totalmem() / 2 ** 30),
}
const date = new Date().toISOString().slice(0, 10)
const run = { machine, date, engine: engine.name, orders, generator, quick: values.quick, rows }
writeFileSync(new URL('./results.json', import.meta.url), `${JSON.stringify(run, null, 2)}\n`)
// Quick runs do not go into the documents.
const isWritten = values.report && !values.quick
if (isWritten) saveRates(engine.name, rows)
if (isWritten && values.only !== '') replaceRows(engine.name, rows, date)
else if (isWritten) {
  writeCharts(engine.name, rows)
  const { cores, arch, memory_gb, node } = machine
  const where = `${cores} cores (${arch}), ${memory_gb} GB, Node ${node}`
  writeDocument(engine.name, rows, `${where}, ${orders.toLocaleString('en')} orders, load by ${generator}`)
}
if (values.save) saveBaseline(engine.name, rows)
if (values.check) {
  const worse = regressions(engine.name, rows)
  for (const sentence of worse) console.error(`bench: ${sentence}`)
  if (worse.length > 0) process.exitCode = 1
}
