import assert from 'node:assert/strict'
import type {
  AccessClaim,
  Chunk,
  Cursor,
  NextChunk,
  OrderField,
  Storage,
} from '../../../src/storage/port/index.ts'
import { check, entries, item, linked, type Open, order, rewrite, write } from './fixtures.ts'

/** The rest of a page: it is fixed to the ids of its first read, and each later read checks the access again. */

const query = (field: OrderField = 'created_at') => ({ store_id: 1n, field, from: 0, to: 99_999 })

const ids = (chunk: Chunk) => entries(chunk).map(entry => (entry as { order: string }).order)

const letters = [...'abcdefghij']

/** Ten orders, one a second, and the beginning of a page of eight of them. */
async function begin(storage: Storage, field: OrderField = 'created_at') {
  const claim = await linked(storage, [1n])
  await write(storage, {
    orders: letters.map((id, i) =>
      order(1n, id, { created_at: 1000 + i, updated_at: 1000 + i, paid_at: 1000 + i }),
    ),
  })
  const { chunk } = await storage.orders.page({ claim, query: query(field), offset: 1, limit: 3, count: 8 })
  assert.ok(chunk?.next)
  assert.deepEqual(ids(chunk), ['b', 'c', 'd'])
  return { claim, next: chunk.next }
}

async function readOn(storage: Storage, claim: AccessClaim, from: Cursor, field: OrderField = 'created_at') {
  const read: string[] = []
  for (let next: Cursor | null = from; next; ) {
    const chunk: NextChunk = await storage.orders.more({ claim, query: query(field), after: next, limit: 2 })
    assert.equal(chunk.facts.store_allowed, true)
    read.push(...ids(chunk))
    next = chunk.next
  }
  return read
}

export function restTests(open: Open): void {
  check('a page ends with its last entry also when more entries follow in the list', open, async storage => {
    const { claim, next } = await begin(storage)
    assert.deepEqual(await readOn(storage, claim, next), ['e', 'f', 'g', 'h', 'i'])
    const { chunk } = await storage.orders.page({ claim, query: query(), offset: 0, limit: 10, count: 10 })
    assert.deepEqual([chunk?.rows, chunk?.next], [10, null], 'all at once: nothing is left')
    const beyond = await storage.orders.page({ claim, query: query(), offset: 8, limit: 2, count: 10 })
    assert.deepEqual([beyond.chunk?.rows, beyond.chunk?.next], [2, null], 'nothing is left of the list')
  })

  for (const field of ['created_at', 'updated_at', 'paid_at'] as const) {
    check(
      `by ${field}: entries that move meanwhile come once, in their newest version`,
      open,
      async storage => {
        const { claim, next } = await begin(storage, field)
        const at = (time: number) => ({ created_at: time, updated_at: time, paid_at: time })
        const first = await storage.orders.more({ claim, query: query(field), after: next, limit: 1 })
        assert.deepEqual(ids(first), ['e'])
        // A sent order moves back into the rest, an unsent one moves before it, a new one would push the last one out.
        await rewrite(storage, order(1n, 'c', at(1006)), 1002)
        await rewrite(storage, { ...order(1n, 'g', at(900)), doc: '{"order":"g as it is"}' }, 1006)
        await write(storage, { orders: [order(1n, 'new', at(1006))] })
        assert.ok(first.next)
        assert.deepEqual(await readOn(storage, claim, first.next, field), ['f', 'g as it is', 'h', 'i'])
      },
    )
  }

  check('a write to another list does not change the rest of a page', open, async storage => {
    const { claim, next } = await begin(storage)
    await write(storage, { items: [item(1n, 1n)] })
    assert.deepEqual(await readOn(storage, claim, next), ['e', 'f', 'g', 'h', 'i'])
  })

  check('a page snapshot keeps ids of any characters', open, async storage => {
    const claim = await linked(storage, [1n])
    const odd = ['"', ',', '\\', '{}', '', ' ', "'", '\n', '\u{1F600}', 'é', 'null'].toSorted((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    )
    const named = (id: string) => ({ ...order(1n, id), doc: JSON.stringify({ order: id }) })
    await write(storage, { orders: odd.map(named) })
    const { chunk } = await storage.orders.page({
      claim,
      query: query(),
      offset: 0,
      limit: 1,
      count: odd.length,
    })
    assert.ok(chunk?.next)
    await write(storage, { orders: [order(1n, 'new', { created_at: 500 })] })
    assert.deepEqual([...ids(chunk), ...(await readOn(storage, claim, chunk.next))], odd)
  })

  check('nothing is read on for a claim that was revoked meanwhile', open, async storage => {
    const { claim, next } = await begin(storage)
    await write(storage, { items: [item(1n, 1n), item(1n, 2n)] })
    const items = { store_id: 1n, updated_after: null }
    const first = await storage.items.page({ claim, query: items, offset: 0, limit: 1, count: 2 })
    const stores = await storage.stores.page({ claim, offset: 0, limit: 1, count: 5 })
    assert.ok(first.chunk?.next)
    assert.equal(
      (await storage.items.more({ claim, query: items, after: first.chunk.next, limit: 1 })).rows,
      1,
    )
    await storage.authorizations.revoke('link', 2000)
    for (const chunk of [
      await storage.orders.more({ claim, query: query(), after: next, limit: 2 }),
      await storage.items.more({ claim, query: items, after: first.chunk.next, limit: 1 }),
    ]) {
      assert.equal(chunk.facts.store_allowed, false)
      assert.deepEqual([chunk.rows, chunk.parts.length, chunk.next], [0, 0, null])
    }
    assert.ok(stores.chunk)
    await storage.apps.setDisabled('reader', 2000)
    const more = await storage.stores.more({ claim, after: [0n], limit: 1 })
    assert.deepEqual([more.facts.app_live, more.rows, more.next], [false, 0, null])
  })
}
