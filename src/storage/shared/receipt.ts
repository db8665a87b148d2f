import { digestOf } from '../../lib/digest.ts'
import type { Receipt } from '../port/index.ts'

/** A row of `receipts`, as both engines read it. */
export interface ReceiptRow {
  day: number
  entities: number
  subtotal: number
  digest_0: bigint
  digest_1: bigint
  digest_2: bigint
  digest_3: bigint
}

export const receiptOf = ({
  entities,
  subtotal,
  digest_0,
  digest_1,
  digest_2,
  digest_3,
}: ReceiptRow): Receipt => ({
  count: entities,
  subtotal,
  digest: digestOf([digest_0, digest_1, digest_2, digest_3]),
})

export const noEntities: Receipt = { count: 0, subtotal: 0, digest: digestOf([0]) }
