import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isReached, type Row } from '../row.ts'

const file = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))

/** Writes the rows into docs/performance.md, between the marks of the engine. */
export function writeDocument(engine: string, rows: readonly Row[], machine: string): void {
  const [begin, end] = [`<!-- ${engine}: written by npm run bench -->`, `<!-- end of ${engine} -->`]
  const text = readFileSync(file, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/performance.md has no place for ${engine}`)
  const lines = [
    `Measured on ${machine}.`,
    '',
    '| row | measured | reference | ratio | aim | |',
    '|---|---|---|---|---|---|',
    ...rows.map(line),
  ]
  writeFileSync(file, `${before}${begin}\n${lines.join('\n')}\n${end}${after}`)
}

function line(row: Row): string {
  const { name, figure, limit, ratio, aim, memory_mb } = row
  const memory = memory_mb === null ? '' : `; ${memory_mb} MB`
  const verdict = aim === null ? '' : isReached(row) ? 'reached' : '**missed**'
  const words = aim === null ? 'reported' : `${aim.is} ${aim.ratio}`
  return `| ${name} | ${figure}${memory} | ${limit} | ${ratio.toFixed(2)} | ${words} | ${verdict} |`
}
