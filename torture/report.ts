import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import type { Outcome } from './trial.ts'

/** Writes the table between the two marks in docs/reliability.md, and changes nothing else there. */

export interface Result extends Outcome {
  name: string
  engine: string
  seed: number
  seconds: number
}

const file = new URL('../docs/reliability.md', import.meta.url)
const marks = ['<!-- written by npm run torture -->\n', '<!-- end -->'] as const
const head = '| scenario | engine | tried | found | when, seed, machine |\n|---|---|---|---|---|\n'

/** Keeps the rows of scenarios that did not run. */
export async function writeReport(results: readonly Result[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const [before, rest = ''] = text.split(marks[0], 2)
  const [table = '', after] = rest.split(marks[1], 2)
  if (after === undefined) throw new Error('docs/reliability.md has no marks for the table')
  const rows = new Map(
    table
      .split('\n')
      .slice(2)
      .filter(line => line !== '')
      .map(line => [line.split('|').slice(1, 3).join('|'), line]),
  )
  for (const result of results) rows.set(` ${result.name} | ${result.engine} `, row(result))
  const lines = [...rows.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([, line]) => line)
  await writeFile(file, `${before}${marks[0]}${head}${lines.join('\n')}\n${marks[1]}${after}`)
}

function row({ name, engine, tried, found, broken, seed, seconds }: Result): string {
  const day = new Date().toISOString().slice(0, 10)
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  const outcome = broken.length === 0 ? found : `**broken**: ${broken.join('; ')}`
  const when = `${day}, ${Math.round(seconds / 60)} min, seed ${seed}, ${machine}`
  return `| ${[name, engine, tried, outcome, when].map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
