import { hash } from 'node:crypto'
import type { Tallies, Tally } from './port.ts'
import { storeOf } from '../shared/tables.ts'
import type { Row, Table } from '../shared/table.ts'

/**
 * A row's checksum is the first 60 bits of the SHA-256 of its values, each with its length in bytes before it. A sum
 * of them is the same whatever order the rows come in, so an engine may compute it as it likes (postgres/copy-sql.ts
 * does, in SQL), and the sums of parts add up.
 */
const checksum = (row: Row): bigint => BigInt(`0x${hash('sha256', row.map(written).join('')).slice(0, 15)}`)

const written = (value: string | null): string =>
  value === null ? '-' : `${Buffer.byteLength(value)}:${value}`

export function tallyOf(table: Table, rows: readonly Row[]): Tallies {
  const tallies = new Map<string, Tally>()
  for (const row of rows) add(tallies, storeOf(table, row), { rows: 1, sum: checksum(row) })
  return tallies
}

export function addAll(total: Map<string, Tally>, more: Tallies): void {
  for (const [store, tally] of more) add(total, store, tally)
}

function add(total: Map<string, Tally>, store: string, { rows, sum }: Tally): void {
  const so_far = total.get(store)
  total.set(store, { rows: (so_far?.rows ?? 0) + rows, sum: (so_far?.sum ?? 0n) + sum })
}

/** The stores whose rows are not the same on both sides. */
export function differing(one: Tallies, other: Tallies): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter(store => {
    const [a, b] = [one.get(store), other.get(store)]
    return a?.rows !== b?.rows || a?.sum !== b?.sum
  })
}
