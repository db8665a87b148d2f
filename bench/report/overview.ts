import { readFileSync, writeFileSync } from 'node:fs'
import type { Row } from '../row.ts'
import { escape, page } from './charts.ts'

/** Rates of the last runs that went into docs/performance.md, by engine and row: orders or requests per second. */
export type Rates = Record<string, Record<string, number>>

const file = new URL('./rates.json', import.meta.url)
const chart = new URL('../../docs/charts/bench-overview.svg', import.meta.url)

/** The users' questions that the picture answers, by row. */
const questions: Record<string, string> = {
  'not-modified': 'polls that find nothing',
  token: 'tokens',
  'orders-100': 'pages of 100 orders',
  'compressed-gzip': 'pages of 100 orders as gzip',
  records: 'orders pushed in batches of 500',
  import: 'orders imported from a file',
  mirror: 'orders copied by the client',
}

export const readRates = (): Rates => JSON.parse(readFileSync(file, 'utf8'))

/** Keeps the rates of a run, and draws the picture of both engines again. */
export function saveRates(engine: string, rows: readonly Row[]): void {
  const rates = readRates()
  const own = { ...rates[engine] }
  for (const { id, figure } of rows) {
    const rate = /^([\d,]+) (?:requests|orders)\/s/.exec(figure)?.[1]
    if (id in questions && rate !== undefined) own[id] = Number(rate.replaceAll(',', ''))
  }
  const saved = { ...rates, [engine]: own }
  writeFileSync(file, `${JSON.stringify(saved, null, 2)}\n`)
  writeFileSync(chart, overviewChart(saved))
}

/** Two bars for each question, on a logarithmic scale, because a poll and a page differ by a factor of ten and more. */
export function overviewChart(rates: Rates): string {
  const [left, top, decade, step] = [220, 66, 150, 52]
  const bottom = top + Object.keys(questions).length * step
  const x = (rate: number) => left + (Math.log10(rate) - 2) * decade
  const grid = [100, 1000, 10_000, 100_000].flatMap(rate => [
    `<line x1="${x(rate)}" x2="${x(rate)}" y1="${top - 8}" y2="${bottom}" class="grid"/>`,
    `<text x="${x(rate)}" y="${bottom + 18}" text-anchor="middle" class="small">${rate.toLocaleString('en')}</text>`,
  ])
  const engines = [
    { id: 'sqlite', name: 'SQLite', style: 'reached' },
    { id: 'postgres', name: 'PostgreSQL', style: 'second' },
  ]
  const legend = engines.flatMap(({ name, style }, i) => [
    `<rect x="${left + i * 110}" y="34" width="12" height="12" class="${style}"/>`,
    `<text x="${left + 18 + i * 110}" y="44" class="small">${name}</text>`,
  ])
  const bars = Object.entries(questions).flatMap(([id, question], i) => [
    `<text x="8" y="${top + i * step + 24}" class="small">${escape(question)}</text>`,
    ...engines.flatMap(({ id: engine, style }, j) => {
      const rate = rates[engine]?.[id]
      if (rate === undefined) return []
      const y = top + i * step + j * 20
      return [
        `<rect x="${left}" y="${y}" width="${(x(rate) - left).toFixed(1)}" height="16" class="${style}"/>`,
        `<text x="${(x(rate) + 6).toFixed(1)}" y="${y + 12}" class="small">${rate.toLocaleString('en')}</text>`,
      ]
    }),
  ])
  return page(760, bottom + 28, 'What one process does in a second', [...legend, ...grid, ...bars])
}
