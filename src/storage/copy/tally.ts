import { hash } from 'node:crypto'
import type { Tallies, Tally } from './port.ts'
import { storeOf } from '../shared/tables.ts'
import type { Row, Table } from '../shared/table.ts'

/**
 * A row's checksum is the first 60 bits of the SHA-256 of its values, each prefixed with its length in bytes. The sum of
 * checksums does not depend on the order of the rows, so PostgreSQL computes it in SQL (postgres/copy/sql.ts), and the
 * sums of parts add up.
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
  const sum_before = total.get(store)
  total.set(store, { rows: (sum_before?.rows ?? 0) + rows, sum: (sum_before?.sum ?? 0n) + sum })
}

/** The stores whose rows differ. */
export function differing(one: Tallies, other: Tallies): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter(store => {
    const [a, b] = [one.get(store), other.get(store)]
    return a?.rows !== b?.rows || a?.sum !== b?.sum
  })
}
