import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Key, Range, Row } from '../copy/port.ts'
import { columnsOf, type Table } from '../copy/tables.ts'

/** As much text as one read may answer with, however large the rows are. */
const mostText = 4_000_000

/** Reads rows as text by ranges of the primary key. */
export function createRowReader(
  connection: DatabaseSync,
): (table: Table, range: Range, limit: number) => Row[] {
  const prepare = createStatements(connection)
  return (table, { after, through }, limit) => {
    const key = table.key.join(', ')
    const bounds = [
      after && `(${key}) > ${placesOf(table, table.key)}`,
      through && `(${key}) <= ${placesOf(table, table.key)}`,
    ]
    const where = bounds
      .filter(bound => bound !== null)
      .map((bound, i) => `${i === 0 ? 'where' : 'and'} ${bound}`)
    const columns = columnsOf(table).map(name => (isText(table, name) ? name : `cast(${name} as text)`))
    const statement = prepare(
      `select ${columns.join(', ')} from ${table.name} ${where.join(' ')}
       order by ${table.key.map(name => `${table.name}.${name}`).join(', ')} limit ?`,
    )
    const rows: Row[] = []
    let size = 0
    for (const row of statement.iterate(...(after ?? []), ...(through ?? []), limit) as Iterable<unknown>) {
      rows.push(row as Row)
      size += textSize(row as Row)
      if (size >= mostText) break
    }
    return rows
  }
}

/** Writes rows whole, and deletes by key; the transaction is the caller's. */
export function createRowWriter(connection: DatabaseSync): {
  put(table: Table, row: Row): void
  remove(table: Table, key: Key): void
} {
  const prepare = createStatements(connection)
  return {
    put(table, row) {
      const columns = columnsOf(table)
      const identity = table.identity ?? table.key
      const changes = columns
        .filter(name => !identity.includes(name))
        .map(name => `${name} = excluded.${name}`)
      prepare(
        `insert into ${table.name} (${columns.join(', ')}) values ${placesOf(table, columns)}
         on conflict (${identity.join(', ')}) do update set ${changes.join(', ')}`,
      ).run(...row)
    },
    remove(table, key) {
      prepare(
        `delete from ${table.name} where (${table.key.join(', ')}) = ${placesOf(table, table.key)}`,
      ).run(...key)
    },
  }
}

const isText = ({ columns }: Table, name: string): boolean => columns[name] === 'text'

const placesOf = (table: Table, names: readonly string[]): string =>
  `(${names.map(name => (isText(table, name) ? '?' : 'cast(? as integer)')).join(', ')})`

const textSize = (row: Row): number => row.reduce((size, value) => size + (value?.length ?? 0), 0)

function createStatements(connection: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return sql => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = connection.prepare(sql)
    statement.setReturnArrays(true)
    prepared.set(sql, statement)
    return statement
  }
}
