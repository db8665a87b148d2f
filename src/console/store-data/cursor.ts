import { parseInt64 } from '../../lib/int64.ts'
import type { SearchPlace } from '../../domain/store-data/orders.ts'
import type { Cursor } from '../../storage/port/index.ts'

/** Sort keys in the addresses of pages. A text that is none begins the list at its start. */

/** `1793534400.b3JkZXI`: a time and an id. */
export const orderCursor = ([time, id]: Cursor): string =>
  `${time}.${Buffer.from(String(id)).toString('base64url')}`

export function readOrderCursor(text: string): Cursor | undefined {
  const [, time, id] = /^(-?\d{1,12})\.([\w-]{1,1400})$/.exec(text) ?? []
  if (time === undefined || id === undefined) return undefined
  const decoded = Buffer.from(id, 'base64url').toString()
  // PostgreSQL has no text with a zero character, so no order has such an id.
  return decoded.includes('\0') ? undefined : [Number(time), decoded]
}

export const itemCursor = ([id]: Cursor): string => String(id)

export function readItemCursor(text: string): Cursor | undefined {
  const id = parseInt64(text)
  return id === null ? undefined : [id]
}

/** `20500` or `20500.1793534400.b3JkZXI`. */
export const searchCursor = ({ day, behind }: SearchPlace): string =>
  behind === undefined ? String(day) : `${day}.${orderCursor(behind)}`

export function readSearchCursor(text: string): SearchPlace | null {
  const [, day, rest] = /^(-?\d{1,7})(?:\.(.+))?$/.exec(text) ?? []
  return day === undefined ? null : { day: Number(day), behind: readOrderCursor(rest ?? '') }
}
