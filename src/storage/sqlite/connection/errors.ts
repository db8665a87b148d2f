import { StorageUnavailable } from '../../port/index.ts'

const busy = 5
/** Primary result codes, https://sqlite.org/rescode.html: what may pass without a change to the program or the data. */
const passing: Record<number, string> = {
  [busy]: 'the database is locked by another process',
  8: 'the database is read-only',
  10: 'the disk failed to read or write the database',
  13: 'the disk is full',
  14: 'the database file cannot be opened',
}

export const isBusy = (error: unknown): boolean => primaryCode(error) === busy

/** The port's error for what the caller may try again later; anything else as it is. */
export function translate(error: unknown): unknown {
  const passes = passing[primaryCode(error) ?? 0]
  if (passes) return new StorageUnavailable(passes, { cause: error })
  // A request that was waiting when the server closed the database.
  if (codeOf(error) === 'ERR_INVALID_STATE') {
    return new StorageUnavailable('the database is closed', { cause: error })
  }
  return error
}

function primaryCode(error: unknown): number | null {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return null
  return (error as { errcode: number }).errcode & 0xff // the upper bits say more exactly what happened
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (error as { code?: unknown }).code : null
