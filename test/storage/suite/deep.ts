import assert from 'node:assert/strict'
import { createRandom } from '../../../src/demo/random.ts'
import type { AccessClaim, OrderField, OrderRow, Storage } from '../../../src/storage/port/index.ts'
import { check, entries, linked, type Open, order, rewrite, write } from './fixtures.ts'

/** Pages that begin deep in their window: the key at the offset is found first, then the page from it on. */

const day = 86_400
const start = 20_000 * day
const fields = ['created_at', 'updated_at', 'paid_at'] as const

const random = createRandom(7, 0)
const draw = (below: number): number => Math.floor(random.next() * below)

function someOrder(n: number): OrderRow {
  // Many share a second, and the days are of very different size.
  const time = () => start + draw(3) * draw(2) * day + draw(40) * draw(2000)
  return order(1n, `o${n}`, {
    created_at: time(),
    updated_at: time(),
    paid_at: draw(9) === 0 ? null : time(),
  })
}

/** The expected list: by time, then by the bytes of the id. */
const sorted = (orders: readonly OrderRow[], field: OrderField): OrderRow[] =>
  orders
    .filter(row => row[field] !== null)
    .toSorted(
      (a, b) => Number(a[field]) - Number(b[field]) || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
    )

async function compare(storage: Storage, claim: AccessClaim, orders: readonly OrderRow[]): Promise<void> {
  for (const field of fields) {
    const list = sorted(orders, field)
    for (let i = 0; i < 60; i++) {
      const from = start - 5 + draw(3 * day)
      const window = { store_id: 1n, field, from, to: from + draw(2 * day) }
      const inside = list.filter(row => Number(row[field]) >= window.from && Number(row[field]) <= window.to)
      const offset = draw(inside.length + 300)
      const { chunk } = await storage.orders.page({ claim, query: window, offset, limit: 5, count: 5 })
      const ids = entries(chunk).map(entry => (entry as { order: string }).order)
      const expected = inside.slice(offset, offset + 5).map(({ id }) => id)
      assert.deepEqual(
        ids,
        expected,
        `${field} ${window.from} to ${window.to}, ${offset} of ${inside.length}`,
      )
    }
  }
}

export function deepTests(open: Open): void {
  check('a page that begins deep in its window is the right one, after each change', open, async storage => {
    const claim = await linked(storage, [1n, 2n])
    const orders = Array.from({ length: 6000 }, (_, n) => someOrder(n))
    await write(storage, { orders })
    await compare(storage, claim, orders)
    // One more order at the very beginning shifts every offset by one.
    const first = order(1n, 'first', { created_at: start, updated_at: start, paid_at: start })
    await write(storage, { orders: [first] })
    orders.push(first)
    await compare(storage, claim, orders)
    const moved = orders[100] as OrderRow
    const now = { ...moved, created_at: start + 2 * day, updated_at: start + 2 * day }
    await rewrite(storage, now, moved.created_at)
    await compare(storage, claim, orders.with(100, now))
  })

  check('a deep page is of one moment, also while orders are written before it', open, async storage => {
    const claim = await linked(storage, [1n])
    const at = (time: number) => ({ created_at: start + time, updated_at: start, paid_at: start })
    const list = Array.from({ length: 3000 }, (_, n) => order(1n, `o${n}`, at(1000 + n)))
    await write(storage, { orders: list })
    const query = { store_id: 1n, field: 'created_at', from: start, to: start + day } as const
    /** How many orders were written before the others, by the version that the list then has. */
    const before = new Map<number | undefined, number>()
    const note = async (written: number) =>
      before.set((await storage.stores.access(claim, 1n)).store?.orders_version, written)
    await note(0)
    const written = new AbortController()
    async function readWhileWriting(): Promise<{ version: number | undefined; ids: unknown[] }[]> {
      const pages: { version: number | undefined; ids: unknown[] }[] = []
      while (!written.signal.aborted) {
        const { facts, chunk } = await storage.orders.page({ claim, query, offset: 2000, limit: 5 })
        const ids = entries(chunk).map(entry => (entry as { order: string }).order)
        pages.push({ version: facts.store?.orders_version, ids })
        await new Promise(setImmediate)
      }
      return pages
    }
    const reading = Promise.all([readWhileWriting(), readWhileWriting()])
    for (let n = 1; n <= 40; n++) {
      await write(storage, { orders: [order(1n, `new${n}`, at(n))] })
      await note(n)
    }
    written.abort()
    for (const { version, ids } of (await reading).flat()) {
      const first = 2000 - (before.get(version) as number)
      assert.deepEqual(
        ids,
        list.slice(first, first + 5).map(({ id }) => id),
      )
    }
  })
}
