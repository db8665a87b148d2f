import { createHash } from 'node:crypto'
import type { Client } from '../client.ts'
import { isTillgateError } from '../errors.ts'
import type { ChangeKind, Receipts } from '../types.ts'
import { checksumOf, type SqliteCopy } from './sqlite.ts'
import type { Sync } from './sync.ts'

/** Proves a copy complete: its counts, sums and digests are those of the server's receipts. */

export interface StoreResult {
  store_id: bigint
  /** UTC days that differ, and "items". */
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
  const otherDays = db.prepare(`select distinct substr(created_at, 1, 10) as day from orders
    where store_id = ?1 and (created_at < ?2 or created_at > ?3 || '~') order by created_at`)
  const orders =
    db.prepare(`select substr(created_at, 1, 10) as day, id, seq, subtotal, data, checksum from orders
    where store_id = ? and created_at >= ? and created_at < ? order by created_at`)
  const items = db.prepare('select cast(id as text) as id, seq, data, checksum from items where store_id = ?')

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
    const [oldest, newest] = [since === null ? start : '', windows.at(-1)?.[1] ?? '']
    for (const { day: other } of otherDays.all(store_id, oldest, newest) as { day: string }[]) {
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
    for (const row of orders.iterate(store_id, first, `${last}~`)) {
      const { day, id, seq, subtotal } = row as {
        day: string
        id: string
        seq: number
        subtotal: number | null
      }
      const sums = days.get(day) ?? { count: 0, subtotal: 0n, digest: 0n, altered: 0 }
      sums.altered += alteredOf(row as unknown as Row)
      sums.count++
      sums.subtotal += BigInt(subtotal ?? 0)
      sums.digest += entryDigest(id, seq)
      days.set(day, sums)
    }
    return new Map(
      [...days].map(([day, { count, subtotal, digest, altered }]) => [
        day,
        `${count} ${subtotal} ${hex(digest)}${says(altered)}`,
      ]),
    )
  }

  function ownItems(store_id: bigint): string {
    let [count, digest, altered] = [0, 0n, 0]
    for (const row of items.iterate(store_id) as unknown as Iterable<Row & { id: string; seq: number }>) {
      count++
      digest += entryDigest(row.id, row.seq)
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
    return { store_id, differ: [...new Set(differ)].sort(), unreadable: sync.unreadable(store_id) }
  }
}

interface Row {
  data: string
  checksum: number | null
}

/** Receipts have no digest of the data: the file itself says whether it is as it came. */
const alteredOf = ({ data, checksum }: Row): number =>
  checksum !== null && checksum !== checksumOf(data) ? 1 : 0

const says = (altered: number): string => (altered === 0 ? '' : `, ${altered} altered`)

/** Whether the access to the store has ended meanwhile. */
export const isGone = (error: unknown): boolean =>
  isTillgateError(error, 'store_forbidden') || isTillgateError(error, 'store_not_found')

/** The first 16 bytes of SHA-256 over `id:seq`, as a number. */
const entryDigest = (id: string, seq: number): bigint =>
  BigInt(`0x${createHash('sha256').update(`${id}:${seq}`).digest('hex').slice(0, 32)}`)

const hex = (sum: bigint): string => BigInt.asUintN(128, sum).toString(16).padStart(32, '0')
