import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isReached, type Row } from '../row.ts'

const folder = fileURLToPath(new URL('../../docs/charts/', import.meta.url))

/** The charts of docs/performance.md. */
export function writeCharts(engine: string, rows: readonly Row[]): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}bench-ratios-${engine}.svg`, ratiosChart(engine, rows))
  const growth = rows.filter(({ id }) => id.startsWith('growth-'))
  if (growth.length > 0) writeFileSync(`${folder}bench-growth-${engine}.svg`, growthChart(engine, growth))
}

/** Readable on light and dark backgrounds. */
const style = `<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .small { font-size: 11px; fill: #59636e }
  .reached { fill: #1a7f37 } .missed { fill: #bc4c00 } .second { fill: #0969da } .line { stroke: #1a7f37; fill: none; stroke-width: 2 }
  .aim { stroke: #1f2328; stroke-width: 2 } .grid { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } .aim { stroke: #f0f6fc } .grid { stroke: #3d444d }
    .second { fill: #4493f8 } .reached { fill: #3fb950 } .missed { fill: #f0883e } .line { stroke: #3fb950 }
  }
</style>`

/** A chart with a title that screen readers read too. */
export const page = (width: number, height: number, title: string, body: string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
${style}
<text x="8" y="20">${escape(title)}</text>
${body.join('\n')}
</svg>
`

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A bar for each row with an aim, as long as the part of the aim that was reached; the stroke marks the aim. */
function ratiosChart(engine: string, rows: readonly Row[]): string {
  const shown = rows.filter(({ aim }) => aim !== null)
  const [left, full, longest, step] = [430, 260, 390, 24]
  const bars = shown.flatMap((row, i) => {
    const y = 40 + i * step
    const { name, ratio, aim } = row
    if (aim === null) return []
    // For costs, lower is better.
    const reached = aim.is === 'at least' ? ratio / aim.ratio : aim.ratio / ratio
    const length = Math.min(longest, reached * full)
    return [
      `<text x="8" y="${y + 13}" class="small">${escape(name)}</text>`,
      `<rect x="${left}" y="${y + 3}" width="${length.toFixed(1)}" height="14" class="${isReached(row) ? 'reached' : 'missed'}"/>`,
      `<text x="${left + longest + 8}" y="${y + 14}" class="small">${ratio.toFixed(2)} (aim ${aim.is} ${aim.ratio})</text>`,
    ]
  })
  const height = 50 + shown.length * step
  const aim = `<line x1="${left + full}" x2="${left + full}" y1="36" y2="${height - 8}" class="aim"/>`
  return page(960, height, `Reached of each aim, ${engine}: the line is the aim`, [...bars, aim])
}

/** Pages a second by the number of orders in the database, as a part of what the smallest gives. */
function growthChart(engine: string, rows: readonly Row[]): string {
  const points = rows.map(({ ratio, measured }) => ({
    ratio,
    ...(measured as { orders: number; smallest: number }),
  }))
  const smallest = points[0]?.smallest ?? 1
  const all = [{ orders: smallest, ratio: 1 }, ...points]
  const [left, top, width, height] = [60, 40, 480, 200]
  const [first, last] = [Math.log10(smallest), Math.log10(all.at(-1)?.orders ?? smallest)]
  const x = (orders: number) => left + ((Math.log10(orders) - first) / (last - first || 1)) * width
  const y = (ratio: number) => top + height - (Math.min(1.2, ratio) / 1.2) * height
  const grid = [0, 0.3, 0.6, 0.9, 1.2].flatMap(ratio => [
    `<line x1="${left}" x2="${left + width}" y1="${y(ratio)}" y2="${y(ratio)}" class="${ratio === 0.9 ? 'aim' : 'grid'}"/>`,
    `<text x="${left - 36}" y="${y(ratio) + 4}" class="small">${ratio.toFixed(1)}</text>`,
  ])
  const marks = all.flatMap(({ orders, ratio }) => [
    `<circle cx="${x(orders)}" cy="${y(ratio)}" r="4" class="${ratio >= 0.9 ? 'reached' : 'missed'}"/>`,
    `<text x="${x(orders) - 24}" y="${top + height + 18}" class="small">${orders.toLocaleString('en')}</text>`,
  ])
  const path = `<path d="M ${all.map(({ orders, ratio }) => `${x(orders)} ${y(ratio)}`).join(' L ')}" class="line"/>`
  const title = `Pages of 100 a second by orders in the database, ${engine}: the line is the aim`
  return page(600, 280, title, [...grid, path, ...marks])
}
