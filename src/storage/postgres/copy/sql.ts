import type { Range } from '../../copy/port.ts'
import { columnsOf } from '../../shared/tables.ts'
import { list } from '../connection/list.ts'
import type { Value } from '../connection/values.ts'
import type { Key, Row, Table } from '../../shared/table.ts'

type Statement = readonly [sql: string, values: readonly Value[]]

/** Rows as text. ORDER BY names columns with their table, or it would sort by the text. */
export function readSql(table: Table, range: Range, limit: number): Statement {
  const columns = columnsOf(table).map(name => `${textOf(table, name)} as ${name}`)
  const { rows, values } = rowsOf(table, range, limit)
  return [`select ${columns.join(', ')} from ${rows} order by ${qualified(table.key)}`, values]
}

/** The checksum of copy/tally.ts, summed by store. */
export function tallySql(table: Table, range: Range, limit?: number): Statement {
  const written = columnsOf(table)
    .map(name => textOf(table, name))
    .map(value => `coalesce(octet_length(${value}) || ':' || ${value}, '-')`)
  const digest = `encode(sha256(convert_to(${written.join(' || ')}, 'UTF8')), 'hex')`
  const { rows, values } =
    limit === undefined ? { rows: `${table.name} as t`, values: [] } : rowsOf(table, range, limit)
  return [
    `select ${table.store === undefined ? `''` : `t.${table.store}::text`} as store, count(*)::text as rows,
       sum(('x' || left(${digest}, 15))::bit(60)::bigint)::text as sum
     from ${rows} group by ${table.store === undefined ? 1 : `t.${table.store}`}`,
    values,
  ]
}

export function putSql(table: Table, rows: readonly Row[]): Statement {
  const columns = columnsOf(table)
  const lists = columns.map((name, i) =>
    list(
      table.columns[name],
      i + 1,
      rows.map(row => row[i] ?? null),
    ),
  )
  const identity = table.identity ?? table.key
  const changes = columns.filter(name => !identity.includes(name)).map(name => `${name} = excluded.${name}`)
  const given = columns.map(name => (table.columns[name] === 'boolean' ? `${name} = 1` : name))
  return [
    `insert into ${table.name} (${columns.join(', ')})
     select ${given.join(', ')} from unnest(${lists.map(({ sql }) => sql).join(', ')}) as given (${columns.join(', ')})
     on conflict (${identity.join(', ')}) do update set ${changes.join(', ')}`,
    lists.map(({ value }) => value),
  ]
}

export function removeSql(table: Table, gone: readonly Key[]): Statement {
  const lists = table.key.map((name, i) =>
    list(
      table.columns[name],
      i + 1,
      gone.map(key => key[i] ?? null),
    ),
  )
  return [
    `delete from ${table.name} where (${table.key.join(', ')})
       in (select * from unnest(${lists.map(({ sql }) => sql).join(', ')}))`,
    lists.map(({ value }) => value),
  ]
}

/**
 * An outer query applies the end of the range. The planner estimates a range with two ends as a ninth of the table, and
 * would use another index and sort; for the next rows after a key it uses the primary key.
 */
function rowsOf(table: Table, { after, through }: Range, limit: number): { rows: string; values: Value[] } {
  const values: Value[] = []
  const key = `(${qualified(table.key)})`
  const place = (bound: Key) => `(${bound.map(value => `$${values.push(value)}`).join(', ')})`
  const afterKey = after ? `where ${key} > ${place(after)}` : ''
  const upTo = through ? `where ${key} <= ${place(through)}` : ''
  const next = `select * from ${table.name} as t ${afterKey} order by ${qualified(table.key)} limit $${values.push(limit)}`
  return { rows: `(${next}) as t ${upTo}`, values }
}

const qualified = (names: readonly string[]): string => names.map(name => `t.${name}`).join(', ')

const textOf = ({ columns }: Table, name: string): string => {
  if (columns[name] === 'text') return `t.${name}`
  return columns[name] === 'boolean' ? `t.${name}::int::text` : `t.${name}::text`
}
