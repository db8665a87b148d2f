import { freshDatabase } from './postgres.ts'

const onPostgres = process.env['TILLGATE_TEST_ENGINE'] === 'postgres'

/**
 * An empty database for a test that does not care which engine it runs on: SQLite in memory, or, when `npm test` comes
 * by for the second time, PostgreSQL.
 */
export const emptyDatabase = async (): Promise<string> => (onPostgres ? freshDatabase() : ':memory:')

/** How often a property is tried when every try needs a database: making one takes PostgreSQL a fifth of a second. */
export const runs = (onSqlite: number): number => (onPostgres ? Math.ceil(onSqlite / 10) : onSqlite)
