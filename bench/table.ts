import type { Row } from './run.ts'

export function printRow({ name, figure, limit, ratio, aim, memory_mb }: Row): void {
  const verdict = aim === null ? 'reported' : `aim ${aim.toFixed(2)}: ${ratio >= aim ? 'reached' : 'MISSED'}`
  const memory = memory_mb === null ? '' : `, ${memory_mb} MB at most`
  console.log(`${name}: ${figure}${memory}`)
  console.log(`  limit: ${limit}`)
  console.log(`  ratio ${ratio.toFixed(2)}, ${verdict}\n`)
}
