import type { Rows } from '../connection/connection.ts'
import type { Database } from '../connection/database.ts'
import type { Value } from '../connection/values.ts'

export type Statement = readonly [sql: string, values: readonly Value[]]

/** Statements of a batch that Citus runs at a time. */
const parallel = 8

/**
 * Statements about one store or endpoint each, which do not depend on each other: one transaction in one round trip. On
 * Citus each is its own transaction, because one over many shards takes seconds.
 */
export async function runEach<Row>(db: Database, statements: readonly Statement[]): Promise<Rows<Row>[]> {
  if (statements.length === 0) return []
  if (!db.citus) {
    return db.write(tx => Promise.all(statements.map(([sql, values]) => tx.query<Row>(sql, values))))
  }
  const results: Rows<Row>[] = []
  for (let i = 0; i < statements.length; i += parallel) {
    const part = statements.slice(i, i + parallel)
    results.push(...(await Promise.all(part.map(([sql, values]) => db.query<Row>(sql, values)))))
  }
  return results
}
