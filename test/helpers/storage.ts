import { openStorage as open, type StorageOptions } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/port/index.ts'

/**
 * Time limits of the database in the tests, milliseconds (global-setup.ts). Several test processes share the machine,
 * so an answer may take seconds; a test about the limits gives its own.
 */
const given = process.env['TEST_DATABASE_TIMEOUT']

export const databaseTimeouts: Pick<
  StorageOptions,
  'database_connect_timeout' | 'database_statement_timeout'
> = given ? { database_connect_timeout: Number(given), database_statement_timeout: Number(given) } : {}

export const openStorage = (database: string, options: StorageOptions = {}): Promise<Storage> =>
  open(database, { ...databaseTimeouts, ...options })

/** The same for a command. */
export const databaseEnvironment: Record<string, string> = given
  ? { TILLGATE_DATABASE_CONNECT_TIMEOUT: given, TILLGATE_DATABASE_STATEMENT_TIMEOUT: given }
  : {}
