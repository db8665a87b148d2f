import { digitsOf } from '../../lib/exact-json.ts'
import type { StoredItem } from '../../domain/store-data/items.ts'
import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { plainMoney } from '../parts/format/money.ts'
import { sendHtml } from '../send-html.ts'
import { readItemCursor } from './cursor.ts'
import { sendCsv } from '../parts/csv-file.ts'
import { itemsPage, itemStatus } from './items.view.ts'
import { readerOf } from './store.ts'

const pageSize = 50

/** The items of a store, by id, with search. */
export function storeItemPages(scope: PageScope, { data }: ConsoleDeps, base: string): void {
  const schema = { querystring: fields({ q: text, after: text }) }

  scope.get(`${base}/items`, { schema }, async ({ account, openStore: open, query }, reply) => {
    const q = query.q.trim().slice(0, 200)
    const behind = readItemCursor(query.after)
    const asked = { store_id: open.store.id, text: q, behind, limit: pageSize }
    const found = await data.items.page(readerOf(account), asked)
    return sendHtml(reply, itemsPage({ open, q, isFirst: !behind, found }))
  })

  scope.get(`${base}/items/export`, async ({ account, openStore: { store } }, reply) => {
    const rows = rowsOf(data.items.all(readerOf(account), store.id))
    return sendCsv(reply, `items-${store.id}`, ['item_id', 'name', 'category', 'price', 'status'], rows)
  })
}

async function* rowsOf(batches: AsyncIterable<StoredItem[]>) {
  for await (const items of batches) {
    yield items.map(({ id, name, category_name, price, status }) => [
      BigInt(digitsOf(id)),
      name,
      category_name,
      plainMoney(price),
      itemStatus(status),
    ])
  }
}
