import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Range } from '../../copy/port.ts'
import { columnsOf } from '../../shared/tables.ts'
import type { Key, Row, Table } from '../../shared/table.ts'

/** The most characters of one read, however large the rows are. */
const maxText = 4_000_000

/** Rows as text, by ranges of the primary key. ORDER BY names columns with their table, or it would sort by the text. */
export function readSql(table: Table, { after, through }: Range): string {
  const key = `(${table.key.map(name => `t.${name}`).join(', ')})`
  const bounds = [after && `${key} > ${places(table.key)}`, through && `${key} <= ${places(table.key)}`]
  const conditions = bounds.filter(bound => bound !== null).join(' and ')
  const columns = columnsOf(table).map(name =>
    isText(table, name) ? `t.${name}` : `cast(t.${name} as text)`,
  )
  return `select ${columns.join(', ')} from ${table.name} as t ${conditions && `where ${conditions}`}
    order by ${table.key.map(name => `t.${name}`).join(', ')} limit ?`
}

export function createRowReader(
  connection: DatabaseSync,
): (table: Table, range: Range, limit: number) => Row[] {
  const prepare = createStatements(connection)
  return (table, range, limit) => {
    const values = [range.after, range.through].flatMap(key => (key ? typed(table, table.key, key) : []))
    const rows: Row[] = []
    let size = 0
    const found = prepare(readSql(table, range)).iterate(...values, limit) as Iterable<unknown>
    for (const row of found as Iterable<Row>) {
      rows.push(row)
      size += textSize(row)
      if (size >= maxText) break
    }
    return rows
  }
}

/** Writes whole rows and deletes by key, within the caller's transaction. */
export function createRowWriter(connection: DatabaseSync): {
  put(table: Table, row: Row): void
  remove(table: Table, key: Key): void
} {
  const prepare = createStatements(connection)
  const puts = new Map<Table, { columns: string[]; statement: StatementSync }>()

  /** Once for each table: writing the statement for each row took a quarter of the time. */
  function preparePut(table: Table) {
    const columns = columnsOf(table)
    const put = { columns, statement: prepare(putSql(table, columns)) }
    puts.set(table, put)
    return put
  }

  return {
    put(table, row) {
      const { columns, statement } = puts.get(table) ?? preparePut(table)
      statement.run(...typed(table, columns, row))
    },
    remove(table, key) {
      prepare(`delete from ${table.name} where (${table.key.join(', ')}) = ${places(table.key)}`).run(
        ...typed(table, table.key, key),
      )
    },
  }
}

function putSql({ name, identity, key }: Table, columns: readonly string[]): string {
  const unique = identity ?? key
  const changes = columns
    .filter(column => !unique.includes(column))
    .map(column => `${column} = excluded.${column}`)
  return `insert into ${name} (${columns.join(', ')}) values ${places(columns)}
    on conflict (${unique.join(', ')}) do update set ${changes.join(', ')}`
}

const isText = ({ columns }: Table, name: string): boolean => columns[name] === 'text'

const places = (names: readonly string[]): string => `(${names.map(() => '?').join(', ')})`

/** Integers as integers: if a key column needs a cast, SQLite finds a range by the first column only. */
const typed = (table: Table, names: readonly string[], values: Row): (string | bigint | null)[] =>
  values.map((value, i) => (value === null || isText(table, names[i] as string) ? value : BigInt(value)))

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
