import { printable } from '../../lib/printable.ts'

type Cell = string | boolean | readonly string[]
type Row = Record<string, Cell>

/** Formats rows as aligned columns, with the field names as the header. */
export const table = (rows: readonly Row[]): string => createTable()(rows)

/** Formats rows page by page: the first page has the header and decides the widths, which a longer cell exceeds. */
export function createTable(): (rows: readonly Row[]) => string {
  let widths: number[] | null = null
  return rows => {
    const names = Object.keys(rows[0] ?? {})
    const lines = rows.map(row => names.map(name => show(row[name])))
    if (widths === null) {
      lines.unshift(names)
      widths = names.map((_name, column) =>
        lines.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0),
      )
    }
    return lines.map(line => aligned(line, widths ?? [])).join('\n')
  }
}

const aligned = (line: readonly string[], widths: readonly number[]): string =>
  line
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()

function show(cell: Cell | undefined): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return printable(typeof cell === 'string' ? cell : (cell ?? []).join(' ')) || '-'
}
