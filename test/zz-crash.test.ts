import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from '../src/storage/open.ts'
import { StorageUnavailable } from '../src/storage/port.ts'
import { createServer } from './helpers/postgres-server.ts'
import { linked, order, write } from './storage/suite/fixtures.ts'
test('x', async () => {
  const server = await createServer({ fsync: true })
  await server.start()
  const storage = await openStorage(server.url)
  const claim = await linked(storage, [1n])
  await write(storage, { orders: Array.from({length: 200}, (_, i) => order(1n, `o${i}`, { doc: JSON.stringify({ x: 'y'.repeat(2000) }) })) })
  let run = true
  const odd = new Map<string, number>()
  const note = (e: unknown) => { if (!(e instanceof StorageUnavailable)) { const k = String((e as Error).stack); odd.set(k, (odd.get(k) ?? 0) + 1) } }
  const query = { store_id: 1n, field: 'created_at', from: 0, to: 9999 } as const
  const all = [
    ...Array.from({ length: 8 }, async () => { while (run) await storage.orders.page(claim, query, 0, 100, null).catch(note).then(() => sleep(1)) }),
    ...Array.from({ length: 2 }, async () => { while (run) await storage.items.page(claim, { store_id: 1n, updated_after: null }, 0, 100, null).catch(note).then(() => sleep(1)) }),
    ...Array.from({ length: 2 }, async (_, k) => { for (let i = 0; run; i++) await storage.records.write({ store_ids: [1n], items: [], orders: [] }, () => ({ stores: [], items: [], rollups: [], orders: [{ row: order(1n, `w${k}-${i}`), was_created_at: null }] })).catch(note).then(() => sleep(1)) }),
  ]
  for (let i = 0; i < 200; i++) {
    await sleep(30 + Math.random() * 100)
    await server.stop('quit')
    await sleep(Math.random() * 10)
    await server.start()
  }
  run = false
  await Promise.all(all)
  console.log('ODD', odd.size); for (const [k, n] of odd) console.log(n, k)
  await storage.close()
  await server.remove()
})
