import { StorageUnavailable } from '../../port/index.ts'

const busy = 5
/** Primary result codes, https://sqlite.org/rescode.html, for transient errors. */
const transient: Record<number, string> = {
  [busy]: 'the database is locked by another process',
  8: 'the database is read-only',
  10: 'the disk failed to read or write the database',
  13: 'the disk is full',
  14: 'the database file cannot be opened',
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
export const isDamaged = (error: unknown): boolean => [11, 26].includes(primaryCode(error) ?? 0)

export const isBusy = (error: unknown): boolean => primaryCode(error) === busy

/** SQLITE_FULL, or a file that could not be written for want of space. */
export const isDiskFull = (error: unknown): boolean => hasCode(error, 13) || codeOf(error) === 'ENOSPC'

/** SQLITE_IOERR, which a full disk causes too. */
export const isDiskFault = (error: unknown): boolean => hasCode(error, 10)

/** Whether the error or, when it was translated, its cause has the code. */
const hasCode = (error: unknown, code: number): boolean =>
  [error, error instanceof Error ? error.cause : null].some(each => primaryCode(each) === code)

/** A transient error as the port's StorageUnavailable; any other error unchanged. */
export function translate(error: unknown): unknown {
  const reason = transient[primaryCode(error) ?? 0]
  if (reason) return new StorageUnavailable(reason, { cause: error })
  // The server closed the database while the request waited.
  if (codeOf(error) === 'ERR_INVALID_STATE') {
    return new StorageUnavailable('the database is closed', { cause: error })
  }
  return error
}

function primaryCode(error: unknown): number | null {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return null
  return (error as { errcode: number }).errcode & 0xff // the upper bits are the extended code
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (error as { code?: unknown }).code : null
