import { createHash } from 'node:crypto'
import type { Client } from '../client.ts'
import { isTillgateError } from '../errors.ts'
import { isDay } from '../time.ts'
import type { ChangeKind, Receipts } from '../types.ts'
import { checksumOf, type SqliteCopy } from './sqlite.ts'
import type { Sync } from './sync.ts'

/** Proves a copy complete: its counts, sums and digests are those of the server's receipts. */

export interface StoreResult {
  store_id: bigint
  /** UTC days that differ, "items", and "undated": orders that the file alone has, without a real `created_at`. */
  differ: string[]
  /** What the copy holds and the app may no longer read. */
  unreadable: readonly ChangeKind[]
}

interface VerifyOptions {
  /** First UTC day to compare, as `yyyy-MM-dd`; null: every day since 1970, and those that the copy has before it. */
  since: string | null
  client: Client
  copy: SqliteCopy
  sync: Sync
  signal: AbortSignal
}

const longestSpan = 400
const day = 86_400_000
const lastDay = Date.parse('9999-12-31')
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export function createVerify({ since, client, copy, sync, signal }: VerifyOptions) {
  const { db } = copy
  const findDays = db.prepare(`select distinct coalesce(substr(created_at, 1, 10), '') as day
    from orders where store_id = ? order by day`)
  // As text: another program may have written a number that JavaScript cannot hold.
  const entry = 'cast(id as text) as id, cast(seq as text) as seq, data, cast(checksum as text) as checksum'
  const orders =
    db.prepare(`select substr(created_at, 1, 10) as day, cast(subtotal as text) as subtotal, ${entry} from orders
    where store_id = ? and created_at >= ? and created_at < ? order by created_at`)
  const items = db.prepare(`select ${entry} from items where store_id = ?`)
  const daysOf = (store_id: bigint) => (findDays.all(store_id) as { day: string }[]).map(({ day }) => day)

  /** Windows of at most 400 days: from `since` to tomorrow or later, and the other days that the copy has. */
  function windowsOf(store_id: bigint): [first: string, last: string][] {
    const windows: [first: string, last: string][] = []
    const windowFrom = (first: number): [string, string] => [
      dayOf(first),
      dayOf(Math.min(first + (longestSpan - 1) * day, lastDay)),
    ]
    const start = since ?? '1970-01-01'
    for (let first = Date.parse(start); first <= Date.now() + day; first += longestSpan * day) {
      windows.push(windowFrom(first))
    }
    for (const other of daysOf(store_id)) {
      if (!isDay(other) || (since !== null && other < since)) continue
      if (!windows.some(([first, last]) => first <= other && other <= last)) {
        windows.push(windowFrom(Date.parse(other)))
      }
    }
    return windows
  }

  /** The days that the copy has, as receipts. */
  function ownDays(store_id: bigint, first: string, last: string): Map<string, string> {
    const days = new Map<string, { count: number; subtotal: bigint; digest: bigint; altered: number }>()
    // Every created_at of the last day sorts before this.
    const rows = orders.iterate(store_id, first, `${last}~`) as unknown as Iterable<OrderRow>
    for (const row of rows) {
      const sums = days.get(row.day) ?? { count: 0, subtotal: 0n, digest: 0n, altered: 0 }
      sums.altered += alteredOf(row)
      sums.count++
      sums.subtotal += centsOf(row.subtotal)
      sums.digest += entryDigest(row)
      days.set(row.day, sums)
    }
    const real = [...days].filter(([day]) => isDay(day))
    return new Map(
      real.map(([day, { count, subtotal, digest, altered }]) => [
        day,
        `${count} ${subtotal} ${hex(digest)}${says(altered)}`,
      ]),
    )
  }

  function ownItems(store_id: bigint): string {
    let [count, digest, altered] = [0, 0n, 0]
    for (const row of items.iterate(store_id) as unknown as Iterable<Row>) {
      count++
      digest += entryDigest(row)
      altered += alteredOf(row)
    }
    return `${count} ${hex(digest)}${says(altered)}`
  }

  /** The days of a window that differ. The copy is first brought to the seq of the receipts. */
  async function compare(
    store_id: bigint,
    [first, last]: [string, string],
    withItems: boolean,
  ): Promise<string[]> {
    const request = { storeId: store_id, startDay: first, endDay: last, signal }
    const server: Receipts = await client.receipts(request)
    await sync.changes([store_id], server.seq)
    const own = ownDays(store_id, first, last)
    const theirs = new Map(
      server.days.map(each => [each.day, `${each.orders} ${each.subtotal} ${each.digest}`]),
    )
    const differ = [...new Set([...own.keys(), ...theirs.keys()])].filter(
      day => own.get(day) !== theirs.get(day),
    )
    const isSame =
      !withItems || !server.items || ownItems(store_id) === `${server.items.count} ${server.items.digest}`
    return isSame ? differ : [...differ, 'items']
  }

  return async function verify(store_id: bigint): Promise<StoreResult> {
    const differ: string[] = []
    let withItems = true
    await sync.changes([store_id])
    // Receipts, those of items too, need access to the orders.
    const isComparable = !sync.unreadable(store_id).includes('order')
    for (const window of isComparable ? windowsOf(store_id) : []) {
      let found = await compare(store_id, window, withItems)
      // An order that changed both before and after the receipts is missing at their seq: look again.
      for (let tries = 0; found.length > 0 && tries < 6; tries++) {
        await sync.changes([store_id])
        found = await compare(store_id, window, withItems)
      }
      differ.push(...found)
      withItems = false
    }
    await sync.changes([store_id])
    if (isComparable && !daysOf(store_id).every(isDay)) differ.push('undated')
    return { store_id, differ: [...new Set(differ)].sort(), unreadable: sync.unreadable(store_id) }
  }
}

interface Row {
  id: string
  seq: string
  data: string
  checksum: string | null
}

interface OrderRow extends Row {
  day: string
  subtotal: string | null
}

/** Nothing for what was changed to another value than whole cents: the checksum finds it. */
const centsOf = (subtotal: string | null): bigint =>
  /^-?\d+$/.test(subtotal ?? '') ? BigInt(subtotal ?? 0) : 0n

/** Receipts have no digest of the data: the file itself says whether it is as it came. */
const alteredOf = ({ data, checksum }: Row): number =>
  checksum !== null && checksum !== String(checksumOf(data)) ? 1 : 0

const says = (altered: number): string => (altered === 0 ? '' : `, ${altered} altered`)

/** Whether the access to the store has ended meanwhile. */
export const isGone = (error: unknown): boolean =>
  isTillgateError(error, 'store_forbidden') || isTillgateError(error, 'store_not_found')

/** The first 16 bytes of SHA-256 over `id:seq`, as a number. */
const entryDigest = ({ id, seq }: Row): bigint =>
  BigInt(`0x${createHash('sha256').update(`${id}:${seq}`).digest('hex').slice(0, 32)}`)

const hex = (sum: bigint): string => BigInt.asUintN(128, sum).toString(16).padStart(32, '0')
