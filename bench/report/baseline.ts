import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from '../row.ts'

const file = fileURLToPath(new URL('./baseline.json', import.meta.url))

/** Machines are noisy and differ: only a large loss counts as a regression. */
const margin = 0.6

/** Ratios by engine and row when the baseline was written. */
type Baseline = Record<string, Record<string, number>>

const read = (): Baseline => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Baseline) : {})

/** Rows that are worse than the baseline by more than the margin, a sentence each. */
export function regressions(engine: string, rows: readonly Row[]): string[] {
  const known = read()[engine]
  if (!known) throw new Error(`bench/report/baseline.json knows nothing of ${engine}`)
  return rows.flatMap(({ id, ratio, aim }) => {
    const before = known[id]
    if (before === undefined || aim === null) return []
    const worst = aim.is === 'at least' ? before * margin : before / margin
    const isWorse = aim.is === 'at least' ? ratio < worst : ratio > worst
    return isWorse
      ? [`${id}: the ratio is ${ratio.toFixed(2)}; it was ${before}, and may be ${worst.toFixed(2)}`]
      : []
  })
}

/** Saves these ratios as the baseline. */
export function saveBaseline(engine: string, rows: readonly Row[]): void {
  const baseline = read()
  const measured = rows
    .filter(({ aim }) => aim !== null)
    .map(({ id, ratio }) => [id, Number(ratio.toFixed(2))])
  baseline[engine] = { ...baseline[engine], ...Object.fromEntries(measured) }
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`)
}
