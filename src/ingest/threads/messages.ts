import type { IngestOptions, Outcome } from '../ingest.ts'
import { ApiError, type ErrorCode, type ErrorDetail, fail } from '../../errors.ts'
import { isStorageFault } from '../../domain/storage-fault.ts'
import { StorageUnavailable } from '../../storage/port/index.ts'

/** Messages to a thread. For one batch: `open`, any number of `push`, then `commit` or `abandon`. */
export type Request =
  | { type: 'open'; id: number; options: IngestOptions }
  | { type: 'push'; id: number; piece: Uint8Array }
  | { type: 'commit'; id: number }
  | { type: 'abandon'; id: number }
  | { type: 'close' }

/** Its answers, one to each `push` and to `commit`, in the same order. */
export type Answer =
  | { type: 'ready' }
  | { type: 'pushed'; id: number; size: number; failure?: Failure }
  | { type: 'committed'; id: number; outcome: Outcome }
  | { type: 'failed'; id: number; failure: Failure }

/** An error as a message: structured cloning loses its class. */
export type Failure =
  | { kind: 'api'; code: ErrorCode; message: string; details: readonly ErrorDetail[] }
  | { kind: 'storage' | 'fault'; message: string; stack: string | undefined }

export function toFailure(error: unknown): Failure {
  if (error instanceof ApiError) {
    return { kind: 'api', code: error.code, message: error.message, details: error.details }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: isStorageFault(error) ? 'storage' : 'fault', message, stack }
}

export function toError(failure: Failure): Error {
  if (failure.kind === 'api') {
    return fail(failure.code, failure.message, { details: [...failure.details] })
  }
  const error =
    failure.kind === 'storage' ? new StorageUnavailable(failure.message) : new Error(failure.message)
  if (failure.stack !== undefined) error.stack = failure.stack
  return error
}
