import { openStorage } from '../../helpers/storage.ts'
// Adds orders to store 1 of the database, one in each batch, as many as the second argument says.

const [, , file, times] = process.argv
const storage = await openStorage(file as string)
for (let i = 0; i < Number(times); i++) {
  const row = {
    store_id: 1n,
    id: `o${i}`,
    created_at: 5,
    updated_at: 5,
    paid_at: null,
    subtotal: 0,
    sold: '',
    doc: '1',
  }
  await storage.records.write({ store_ids: [1n], items: [], orders: [row] }, () => ({
    stores: [],
    items: [],
    orders: [{ row, was_created_at: null }],
    rollups: [],
  }))
}
await storage.close()
