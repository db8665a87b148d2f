import { StorageUnavailable } from '../../port/index.ts'

/** Node's and the driver's codes for a server that is not there or went away. */
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
  // Written to a socket that the server has closed, before it says so.
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
])

/** Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html that may pass by themselves. */
const passing: readonly [RegExp, string][] = [
  [/^08/, 'the connection to the database failed'],
  [/^25006$/, 'the database is read-only'],
  [/^25P03$/, 'the database ended a transaction that stood still'],
  [/^(40001|40P01)$/, 'other writes were in the way'],
  [/^53100$/, 'the database’s disk is full'],
  [/^53300$/, 'the database has no connection left'],
  [/^53/, 'the database is short of resources'],
  [/^55P03$/, 'another transaction holds what is needed'],
  [/^57014$/, 'the database took too long'],
  [/^57P/, 'the database is stopping or starting'],
  [/^58030$/, 'the database’s disk failed'],
]

/** The transaction lost against another one and may be run again from its beginning. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/** A pooler that passes on only the startup parameters it knows. */
export const isRefusedParameter = (error: unknown): boolean => {
  const { message } = error as Error
  return codeOf(error) === '08P01' && message.includes('startup parameter')
}

/** The port's error for what the caller may try again later; anything else as it is. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailable) return error
  const code = codeOf(error)
  const reason = lost.has(code)
    ? 'the database cannot be reached'
    : (passing.find(([pattern]) => pattern.test(code))?.[1] ?? workerLost(code, error.message))
  return reason === null ? error : new StorageUnavailable(reason, { cause: error })
}

/** Citus says "internal error" once when it finds a worker gone. */
const workerLost = (code: string, message: string): string | null =>
  code === 'XX000' && /connection|could not connect|worker/i.test(message)
    ? 'a database worker is gone'
    : null

export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
