import type { Key, Range, Row } from '../copy/port.ts'
import { columnsOf, type Table } from '../copy/tables.ts'
import type { Value } from './values.ts'

type Statement = readonly [sql: string, values: readonly Value[]]

/** Rows as text. Every column is named with its table: an ORDER BY would otherwise sort by the text. */
export function readSql(table: Table, range: Range, limit: number): Statement {
  const { where, values } = bounds(table, range)
  return [
    `select ${columnsOf(table)
      .map(name => `${textOf(table, name)} as ${name}`)
      .join(', ')}
     from ${table.name} as t ${where} order by ${qualified(table.key)} limit $${values.length + 1}`,
    [...values, limit],
  ]
}

/**
 * The checksum of copy/tally.ts, summed by store. With a limit, the rows come through the primary key: of a range
 * alone the planner believes that it is a ninth of the table, and would read all of it each time.
 */
export function tallySql(table: Table, range: Range, limit?: number): Statement {
  const { where, values } = bounds(table, range)
  const written = columnsOf(table)
    .map(name => textOf(table, name))
    .map(value => `coalesce(octet_length(${value}) || ':' || ${value}, '-')`)
  const digest = `encode(sha256(convert_to(${written.join(' || ')}, 'UTF8')), 'hex')`
  const rows =
    limit === undefined
      ? table.name
      : `(select * from ${table.name} as t ${where} order by ${qualified(table.key)} limit $${values.length + 1})`
  return [
    `select ${table.store === undefined ? `''` : `t.${table.store}::text`} as store, count(*)::text as rows,
       sum(('x' || left(${digest}, 15))::bit(60)::bigint)::text as sum
     from ${rows} as t group by 1`,
    limit === undefined ? [] : [...values, limit],
  ]
}

export function putSql(table: Table, rows: readonly Row[]): Statement {
  const columns = columnsOf(table)
  const identity = table.identity ?? table.key
  const changes = columns.filter(name => !identity.includes(name)).map(name => `${name} = excluded.${name}`)
  const given = columns.map(name => (table.columns[name] === 'boolean' ? `${name} = 1` : name))
  return [
    `insert into ${table.name} (${columns.join(', ')})
     select ${given.join(', ')} from ${unnest(table, columns)} as given (${columns.join(', ')})
     on conflict (${identity.join(', ')}) do update set ${changes.join(', ')}`,
    columns.map((_, column) => rows.map(row => row[column] ?? null)),
  ]
}

export function removeSql(table: Table, gone: readonly Key[]): Statement {
  return [
    `delete from ${table.name} where (${table.key.join(', ')}) in (select * from ${unnest(table, table.key)})`,
    table.key.map((_, column) => gone.map(key => key[column] ?? null)),
  ]
}

function bounds(table: Table, { after, through }: Range): { where: string; values: Value[] } {
  const values: Value[] = []
  const place = (key: Key) => `(${key.map(value => `$${values.push(value)}`).join(', ')})`
  const conditions: string[] = []
  if (after) conditions.push(`(${qualified(table.key)}) > ${place(after)}`)
  if (through) conditions.push(`(${qualified(table.key)}) <= ${place(through)}`)
  return { where: conditions.length > 0 ? `where ${conditions.join(' and ')}` : '', values }
}

const qualified = (names: readonly string[]): string => names.map(name => `t.${name}`).join(', ')

const textOf = ({ columns }: Table, name: string): string => {
  if (columns[name] === 'text') return `t.${name}`
  return columns[name] === 'boolean' ? `t.${name}::int::text` : `t.${name}::text`
}

const unnest = ({ columns }: Table, names: readonly string[]): string =>
  `unnest(${names.map((name, i) => `$${i + 1}::${columns[name] === 'text' ? 'text' : 'bigint'}[]`).join(', ')})`
