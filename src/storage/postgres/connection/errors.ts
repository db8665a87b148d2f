import { StorageUnavailable } from '../../port/index.ts'

/** Node's and the driver's codes for a server that is unreachable or gone. */
const lost = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // no Unix socket: not started yet
  'ENOTFOUND',
  'EPIPE',
  // A write to a socket that the server has closed, before the close event.
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
])

/** Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html for transient errors. */
const transient: readonly [RegExp, string][] = [
  [/^08/, 'the connection to the database failed'],
  [/^25006$/, 'the database is read-only'],
  [/^25P03$/, 'the database ended a transaction that was idle'],
  [/^(40001|40P01)$/, 'the write conflicted with others'],
  [/^53100$/, 'the database’s disk is full'],
  [/^53300$/, 'the database has no connection left'],
  [/^53/, 'the database is short of resources'],
  [/^55P03$/, 'another transaction holds a lock that is needed'],
  [/^57014$/, 'the database took too long'],
  [/^57P/, 'the database is stopping or starting'],
  [/^58030$/, 'the database’s disk failed'],
]

/** The transaction conflicted with another one and may run again from the start. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

/** The error of a pooler that forwards only the startup parameters it knows. */
export const isRefusedParameter = (error: unknown): boolean => {
  const { message } = error as Error
  return codeOf(error) === '08P01' && message.includes('startup parameter')
}

/** A transient error as the port's StorageUnavailable; any other error unchanged. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailable) return error
  const code = codeOf(error)
  const reason = lost.has(code)
    ? 'the database cannot be reached'
    : (transient.find(([pattern]) => pattern.test(code))?.[1] ?? workerLost(code, error.message))
  return reason === null ? error : new StorageUnavailable(reason, { cause: error })
}

/** Citus reports "internal error" once when it finds that a worker is gone. */
const workerLost = (code: string, message: string): string | null =>
  code === 'XX000' && /connection|could not connect|worker/i.test(message)
    ? 'a database worker is gone'
    : null

export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
