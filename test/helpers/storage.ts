import * as storage from '../../src/storage/open.ts'

/**
 * Time limits of the database in the tests, milliseconds (global-setup.ts). Several test processes share the machine,
 * so an answer may take seconds; a test about the limits gives its own.
 */
const given = process.env['TEST_DATABASE_TIMEOUT']

const databaseTimeouts: storage.StorageOptions = given
  ? { database_connect_timeout: Number(given), database_statement_timeout: Number(given) }
  : {}

type Open = typeof storage

export const openStorage: Open['openStorage'] = (database, options) =>
  storage.openStorage(database, { ...databaseTimeouts, ...options })

export const migrate: Open['migrate'] = (database, options) =>
  storage.migrate(database, { ...databaseTimeouts, ...options })

export const openCopy: Open['openCopy'] = (database, options) =>
  storage.openCopy(database, { ...databaseTimeouts, ...options })

export const copyFrom: Open['copyFrom'] = (database, options, work) =>
  storage.copyFrom(database, { ...databaseTimeouts, ...options }, work)

/** The same for a command. */
export const databaseEnvironment: Record<string, string> = given
  ? { TILLGATE_DATABASE_CONNECT_TIMEOUT: given, TILLGATE_DATABASE_STATEMENT_TIMEOUT: given }
  : {}
