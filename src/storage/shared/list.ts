import { minInt64 } from '../../lib/int64.ts'
import type { Chunk } from '../port/index.ts'

/** The first id of a page; null begins at the lowest. */
export const firstAfter = (id: bigint | null): bigint => (id === null ? minInt64 : id + 1n)

/** Of a `FoundStore`. */
export const storeColumns = 'id, name, timezone, merchant'

export const emptyChunk = (): Chunk => ({ parts: [], rows: 0, next: null })
