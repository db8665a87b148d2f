import { StorageUnavailable } from '../storage/port/index.ts'

/** True when the database, and not the request, is why an operation failed. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof StorageUnavailable || (error instanceof Error && isStorageFault(error.cause))
