import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { AccessClaim, ChangeKind, Storage } from '../../../src/storage/port/index.ts'
import { account, check, highest, item, linked, type Open, order, rewrite, store, write } from './fixtures.ts'

interface Entry {
  seq: number
  kind: ChangeKind
  id: string | number
  data: unknown
}

const day = 86_400

async function read(
  storage: Storage,
  claim: AccessClaim,
  {
    after = 0,
    kinds = ['order', 'item'],
    limit = 100,
    count = 100,
    store_id = 1n,
  }: { after?: number; kinds?: ChangeKind[]; limit?: number; count?: number; store_id?: bigint } = {},
) {
  const query = { store_id, after, kinds }
  const { chunk, facts, history } = await storage.changes.page({ claim, query, limit, count })
  let text = Buffer.concat(chunk?.parts ?? []).toString()
  let next = chunk?.next ?? null
  let last_seq = chunk?.last_seq ?? null
  while (next) {
    const more = await storage.changes.more({ claim, query, after: next, limit })
    if (more.rows > 0) text += `,${Buffer.concat(more.parts)}`
    last_seq = more.last_seq ?? last_seq
    next = more.next
  }
  return { entries: JSON.parse(`[${text}]`) as Entry[], facts, history, last_seq, chunk }
}

const ids = (entries: readonly Entry[]) => entries.map(({ seq, id }) => [seq, id])

/** As the API documents it, written differently from the server's own sum. */
function digest(entries: readonly { id: string | number; seq: number }[]): string {
  const sum = entries.reduce((total, { id, seq }) => {
    const hex = createHash('sha256').update(`${id}:${seq}`).digest('hex').slice(0, 32)
    return (total + BigInt(`0x${hex}`)) % 2n ** 128n
  }, 0n)
  return sum.toString(16).padStart(32, '0')
}

export function changeTests(open: Open): void {
  check('changes: each order and item once, in its newest version, by seq', open, async storage => {
    const claim = await linked(storage, [1n, 2n])
    await write(storage, { orders: [order(1n, 'a'), order(1n, 'b"\\', { doc: '{"n":1}' }), order(2n, 'x')] })
    await write(storage, { items: [item(1n, 9007199254740993n)] })
    await rewrite(storage, order(1n, 'a', { doc: '{"n":2}' }), 1000)
    const { entries, facts } = await read(storage, claim)
    assert.deepEqual(entries, [
      { seq: 2, kind: 'order', id: 'b"\\', data: { n: 1 } },
      { seq: 3, kind: 'item', id: 9007199254740992, data: { item: 9007199254740992 } },
      { seq: 4, kind: 'order', id: 'a', data: { n: 2 } },
    ])
    assert.equal(facts.store?.seq, 4)
  })

  check('changes: only those behind `after` and of the kinds', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { orders: [order(1n, 'a'), order(1n, 'b')], items: [item(1n, 1n)] })
    assert.deepEqual(ids((await read(storage, claim, { after: 1 })).entries), [
      [2, 'a'],
      [3, 'b'],
    ])
    assert.deepEqual(ids((await read(storage, claim, { kinds: ['item'] })).entries), [[1, 1]])
    assert.deepEqual(ids((await read(storage, claim, { kinds: ['order'], after: 2 })).entries), [[3, 'b']])
    assert.deepEqual((await read(storage, claim, { after: 3 })).entries, [])
  })

  check(
    'changes: a page in pieces ends at its count, or at the newest seq of its first read',
    open,
    async storage => {
      const claim = await linked(storage, [1n])
      const orders = Array.from({ length: 9 }, (_, i) => order(1n, `o${i}`))
      await write(storage, { orders })
      const whole = await read(storage, claim, { limit: 2, count: 20 })
      assert.equal(whole.entries.length, 9)
      assert.equal(whole.last_seq, 9)
      assert.equal((await read(storage, claim, { limit: 2, count: 5 })).last_seq, 5)
      assert.equal((await read(storage, claim, { limit: 3, count: 3 })).chunk?.next, null)

      const query = { store_id: 1n, after: 0, kinds: ['order'] as const }
      const { chunk } = await storage.changes.page({ claim, query, limit: 4, count: 20 })
      await rewrite(storage, order(1n, 'o7', { doc: '{}' }), 1000)
      const rest = await storage.changes.more({ claim, query, after: chunk?.next ?? [], limit: 20 })
      const entries = JSON.parse(`[${Buffer.concat(rest.parts)}]`) as Entry[]
      assert.deepEqual(
        entries.map(({ id }) => id),
        ['o4', 'o5', 'o6', 'o8'],
      )
      assert.equal(rest.next, null)
    },
  )

  check('changes: a number is never lower than the least of the batch', open, async storage => {
    const claim = await linked(storage, [1n])
    const keys = { store_ids: [1n], items: [], orders: [{ store_id: 1n, id: 'a' }] }
    const stored = await storage.records.write(keys, () => ({
      stores: [],
      items: [],
      orders: [{ row: order(1n, 'a'), was_created_at: null }],
      rollups: [],
      least_seq: 5_000_000,
    }))
    assert.deepEqual(stored.moves, [{ store_id: 1n, seq: 5_000_000, orders_seq: 5_000_000, items_seq: null }])
    await write(storage, { orders: [order(1n, 'b')] })
    assert.deepEqual(ids((await read(storage, claim)).entries), [
      [5_000_000, 'a'],
      [5_000_001, 'b'],
    ])
  })

  check('changes: parallel batches number without a gap in what is visible', open, async storage => {
    const claim = await linked(storage, [1n])
    let seen = 0
    const watch = (async () => {
      while (seen < 30) {
        const { entries } = await read(storage, claim, { after: seen })
        for (const { seq } of entries) {
          assert.ok(seq === seen + 1, `seq ${seq} after ${seen}`)
          seen = seq
        }
      }
    })()
    await Promise.all(Array.from({ length: 30 }, (_, i) => write(storage, { orders: [order(1n, `o${i}`)] })))
    await watch
  })

  check('changes: two batches that create one store do not use a number twice', open, async storage => {
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(id => write(storage, { stores: [store(1n)], orders: [order(1n, id)] })),
    )
    const claim = await linked(storage, [2n])
    await storage.authorizations.save(
      {
        id: 'other',
        app_id: 'reader',
        account_id: null,
        scope: 'integration.store integration.order integration.inventory',
      },
      [1n],
      'add',
      1000,
    )
    assert.deepEqual(
      (await read(storage, claim)).entries.map(({ seq }) => seq),
      [1, 2, 3, 4],
    )
  })

  check('changes: access that is denied gives facts and no entries', open, async storage => {
    const claim = await linked(storage, [1n])
    await write(storage, { stores: [store(2n)], orders: [order(1n, 'a')] })
    const denied = await read(storage, claim, { store_id: 2n })
    assert.equal(denied.chunk, null)
    assert.equal(denied.facts.store_allowed, false)
    const { chunk } = await storage.changes.page({
      claim,
      query: { store_id: 1n, after: 0, kinds: ['order'] },
      limit: 1,
      count: 1,
    })
    assert.equal(chunk?.rows, 1)
    await storage.authorizations.revokeApp('reader', null, 2000)
    assert.equal((await read(storage, claim)).chunk, null)
  })

  check('changes: the history stays until it is renewed', open, async storage => {
    const claim = await linked(storage, [1n])
    const { history } = await read(storage, claim)
    await write(storage, { orders: [order(1n, 'a')] })
    assert.equal((await read(storage, claim)).history, history)
    const renewed = await storage.changes.renewHistory()
    assert.equal(await storage.changes.history(), renewed)
    assert.notEqual(renewed, history)
    assert.equal((await read(storage, claim)).history, renewed)
  })

  check('heads: the newest seq of each store of the claim, once, by id', open, async storage => {
    const claim = await linked(storage, [1n, 2n, highest])
    await storage.authorizations.save(
      {
        id: 'again',
        app_id: 'reader',
        account_id: null,
        scope: 'integration.store integration.order integration.inventory',
      },
      [2n],
      'add',
      1000,
    )
    await write(storage, { stores: [store(3n)], orders: [order(2n, 'a'), order(2n, 'b'), order(3n, 'c')] })
    const heads = async (over: object) =>
      (
        await storage.changes.heads({
          claim,
          scopes: ['integration.order'],
          offset: 0,
          after: null,
          limit: 10,
          ...over,
        })
      ).heads
    const all = [
      { store_id: 1n, seq: 0 },
      { store_id: 2n, seq: 2 },
      { store_id: highest, seq: 0 },
    ]
    assert.deepEqual(await heads({}), all)
    assert.deepEqual(await heads({ offset: 1, limit: 1 }), all.slice(1, 2))
    assert.deepEqual(await heads({ after: 2n }), all.slice(2))
    await storage.authorizations.revokeApp('reader', [2n], 2000)
    assert.deepEqual(await heads({}), [all[0], all[2]])
  })

  check('receipts: count, subtotal and digest of each day follow every change', open, async storage => {
    const claim = await linked(storage, [1n, 2n])
    await write(storage, {
      items: [item(1n, 7n), item(1n, 8n)],
      orders: [
        order(1n, 'a', { created_at: 10 * day, subtotal: 100 }),
        order(1n, 'b', { created_at: 11 * day - 1, subtotal: -30 }),
        order(1n, 'c', { created_at: 11 * day, subtotal: 7 }),
        order(2n, 'a', { created_at: 10 * day, subtotal: 1 }),
      ],
    })
    await rewrite(storage, order(1n, 'a', { created_at: 12 * day, subtotal: 5 }), 10 * day)
    await write(storage, { items: [item(1n, 8n, { doc: '{}' })] })
    const { entries } = await read(storage, claim)
    const of = (...wanted: (string | number)[]) => digest(entries.filter(({ id }) => wanted.includes(id)))
    const receipts = async (first_day: number, last_day: number) =>
      (await storage.changes.receipts({ claim, query: { store_id: 1n, first_day, last_day } })).receipts
    assert.deepEqual(await receipts(0, 20), {
      days: [
        { day: 10, count: 1, subtotal: -30, digest: of('b') },
        { day: 11, count: 1, subtotal: 7, digest: of('c') },
        { day: 12, count: 1, subtotal: 5, digest: of('a') },
      ],
      items: { count: 2, subtotal: 0, digest: of(7, 8) },
    })
    assert.deepEqual(
      (await receipts(11, 11))?.days.map(each => each.day),
      [11],
    )
    // A day whose last order has moved has no receipt.
    await rewrite(storage, order(1n, 'c', { created_at: 12 * day }), 11 * day)
    assert.deepEqual(
      (await receipts(0, 20))?.days.map(each => [each.day, each.count]),
      [
        [10, 1],
        [12, 2],
      ],
    )
  })

  const words = (scope: string): string[] => scope.trim().split(' ').sort()

  check('access: what many claims may read, in their order', open, async storage => {
    const claim = await linked(storage, [1n, 2n])
    await write(storage, { stores: [store(3n)], orders: [order(2n, 'a')] })
    await storage.revokedTokens.add('gone', 9999)
    await storage.revokedTokens.endFamily({ id: 'family', generation: 2 }, 9999)
    const consent = { ...claim, authorization_id: 'link' }
    // Two merchants have connected store 5: a token of the app has the scopes of both, that of a merchant its own.
    await write(storage, { stores: [store(5n)] })
    for (const [id, scope] of [
      ['ada', 'integration.order'],
      ['bob', 'integration.inventory'],
    ] as const) {
      await storage.accounts.create(account(id))
      await storage.authorizations.save({ id, app_id: 'reader', account_id: id, scope }, [5n], 'add', 1000)
    }
    const reads = [
      { claim, store_id: 5n },
      { claim: { ...claim, authorization_id: 'bob' }, store_id: 5n },
      { claim, store_id: 2n },
      { claim, store_id: 3n },
      { claim: { ...claim, jti: 'gone' }, store_id: 1n },
      { claim: consent, store_id: 1n },
      { claim: { ...consent, family: { id: 'family', generation: 1 } }, store_id: 1n },
      { claim: { ...consent, family: { id: 'family', generation: 2 } }, store_id: 1n },
      { claim: { ...claim, authorization_id: 'none' }, store_id: 1n },
      { claim: { ...claim, app_id: 'none' }, store_id: 4n },
    ]
    const each = await Promise.all(reads.map(read => storage.stores.access(read.claim, read.store_id)))
    const found = await storage.changes.access(
      reads.map(({ claim, store_id }) => ({ claim, store_ids: [store_id] })),
    )
    assert.deepEqual(
      found.map(({ token, allowed }, i) => ({
        ...token,
        store_scope: words(allowed.get(reads[i]?.store_id as bigint) ?? ''),
      })),
      each.map(({ app_live, app_scope, token_revoked, authorization_live, store_scope }) => ({
        app_live,
        app_scope,
        token_revoked,
        authorization_live,
        store_scope: words(store_scope),
      })),
    )
    assert.equal(words(found[0]?.allowed.get(5n) ?? '').length, 2)
    const [{ allowed } = assert.fail()] = await storage.changes.access([
      { claim, store_ids: [1n, 2n, 3n, 4n] },
    ])
    assert.deepEqual([...allowed.keys()].sort(), [1n, 2n])
    assert.deepEqual(await storage.changes.access([]), [])
  })

  check('moved: of many stores, those above a seq', open, async storage => {
    const large = 9007199254740993n
    await write(storage, { stores: [store(1n), store(2n), store(large)], orders: [order(large, 'a')] })
    const claim = await linked(storage, [2n, large])
    const { store: facts } = await storage.stores.access(claim, large)
    const { seq = 0, orders_version, items_version } = facts ?? {}
    const moved = (...known: [bigint, number][]) => storage.changes.moved(new Map(known))
    assert.deepEqual(await moved([2n, 0], [large, seq - 1], [4n, 0]), [
      { id: large, orders_version, items_version },
    ])
    assert.deepEqual(await moved([large, seq]), [])
    assert.deepEqual(await moved(), [])
  })

  check(
    'moved: two thousand stores within the second in which a change at another node is seen',
    open,
    async storage => {
      const stores = Array.from({ length: 2000 }, (_, i) => store(BigInt(i + 1)))
      await write(storage, { stores, orders: [order(7n, 'a')] })
      // The fastest of a few: a busy machine can delay any of them.
      let fastest = Number.POSITIVE_INFINITY
      for (let i = 0; i < 5 && fastest >= 1000; i++) {
        const began = performance.now()
        const found = await storage.changes.moved(new Map(stores.map(({ id }) => [id, 0])))
        fastest = Math.min(fastest, performance.now() - began)
        assert.deepEqual(
          found.map(({ id }) => id),
          [7n],
        )
      }
      assert.ok(fastest < 1000, `${fastest} ms`)
    },
  )

  check('state: differs after every write, where the engine can tell', open, async storage => {
    const before = await storage.changes.state()
    assert.equal(await storage.changes.state(), before)
    await write(storage, { stores: [store(1n)] })
    if (before !== null) assert.notEqual(await storage.changes.state(), before)
  })
}
