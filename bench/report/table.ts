import { isReached, type Row } from '../row.ts'

export function printRow(row: Row): void {
  const { name, figure, limit, ratio, aim, memory_mb, note } = row
  const verdict =
    aim === null ? 'reported' : `aim ${aim.is} ${aim.ratio}: ${isReached(row) ? 'reached' : 'MISSED'}`
  const memory = memory_mb === null ? '' : `, ${memory_mb} MB of memory at most`
  console.log(`${name}: ${figure}${memory}`)
  console.log(`  reference: ${limit}`)
  if (note) console.log(`  ${note}`)
  console.log(`  ratio ${ratio.toFixed(2)}, ${verdict}\n`)
}

/** All rows at a glance. */
export function printSummary(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length))
  for (const row of rows) {
    const { name, ratio, aim } = row
    const words = aim === null ? '' : `${aim.is} ${aim.ratio}`
    const verdict = aim === null ? 'reported' : isReached(row) ? 'reached' : 'MISSED'
    console.log(`${name.padEnd(width)}  ${ratio.toFixed(2).padStart(7)}  ${words.padEnd(13)}  ${verdict}`)
  }
}
