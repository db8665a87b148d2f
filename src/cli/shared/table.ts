import { printable } from '../../lib/printable.ts'

type Cell = string | boolean | readonly string[]

/** Formats rows as aligned columns, with the field names as the header. */
export function table(rows: readonly Record<string, Cell>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map(row => names.map(name => show(row[name])))]
  const widths = names.map((_name, column) => Math.max(...lines.map(line => (line[column] ?? '').length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function show(cell: Cell | undefined): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return printable(typeof cell === 'string' ? cell : (cell ?? []).join(' ')) || '-'
}
