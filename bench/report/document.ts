import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isReached, type Row } from '../row.ts'

const file = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))

const head = ['| row | measured | reference | ratio | aim | |', '|---|---|---|---|---|---|']

/** Writes a complete run into docs/performance.md, between the marks of the engine. */
export const writeDocument = (engine: string, rows: readonly Row[], machine: string): void =>
  change(engine, () => [`Measured on ${machine}.`, '', ...head, ...rows.map(row => line(row))])

/** Writes the rows of a partial run in the place of the same rows, with their day; new ones come last. */
export const replaceRows = (engine: string, rows: readonly Row[], day: string): void =>
  change(engine, before => {
    const lines = [...before]
    for (const row of rows) {
      const at = lines.findIndex(each => each.startsWith(`| ${row.name} |`))
      lines.splice(at < 0 ? lines.length : at, at < 0 ? 0 : 1, line(row, day))
    }
    return lines
  })

function change(engine: string, lines: (before: readonly string[]) => string[]): void {
  const [begin, end] = [`<!-- ${engine}: written by npm run bench -->\n`, `\n<!-- end of ${engine} -->`]
  const [before, rest] = readFileSync(file, 'utf8').split(begin)
  const [held, after] = rest?.split(end) ?? []
  if (before === undefined || held === undefined || after === undefined)
    throw new Error(`docs/performance.md has no place for ${engine}`)
  writeFileSync(file, `${before}${begin}${lines(held.split('\n')).join('\n')}${end}${after}`)
}

function line(row: Row, day = ''): string {
  const { name, figure, limit, ratio, aim, memory_mb } = row
  const memory = memory_mb === null ? '' : `; ${memory_mb} MB`
  const verdict = aim === null ? '' : isReached(row) ? 'reached' : '**missed**'
  const words = aim === null ? 'reported' : `${aim.is} ${aim.ratio}`
  const last = [verdict, day].filter(text => text !== '').join(', ')
  return `| ${name} | ${figure}${memory} | ${limit} | ${ratio.toFixed(2)} | ${words} | ${last} |`
}
