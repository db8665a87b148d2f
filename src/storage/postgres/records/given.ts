import { type Cell, list } from '../connection/list.ts'
import type { Value } from '../connection/values.ts'

/** Rows as the table `given` of a statement. */
interface Given {
  sql: string
  /** An expression for the store of a row. */
  store: string
  values: Value[]
}

/**
 * The rows for one statement, or, if not `together`, for a statement for each store, whose id is then a value of its own.
 */
export function given<Column extends string>(
  rows: readonly Readonly<Record<NoInfer<Column> | 'store_id', Cell>>[],
  columns: Readonly<Record<Column, 'bigint' | 'text'>>,
  together: boolean,
): Given[] {
  if (rows.length === 0) return []
  const names = Object.keys(columns) as Column[]
  const groups = together ? [rows] : Map.groupBy(rows, row => row.store_id).values()
  return [...groups].map(group => {
    const ids = group.map(row => row.store_id)
    const lists = names.map((name, i) =>
      list(
        columns[name],
        i + 2,
        group.map(row => row[name]),
      ),
    )
    const values = lists.map(({ value }) => value)
    const cells = lists.map(({ sql }) => sql).join(', ')
    return together
      ? {
          sql: `unnest($1::bigint[], ${cells}) as given (store_id, ${names.join(', ')})`,
          store: 'given.store_id',
          values: [ids, ...values],
        }
      : {
          sql: `unnest(${cells}) as given (${names.join(', ')})`,
          store: '$1::bigint',
          values: [ids[0] ?? null, ...values],
        }
  })
}
