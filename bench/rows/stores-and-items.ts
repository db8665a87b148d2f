import type { Rows } from '../bench.ts'
import { besideBareHttp } from '../beside-bare-http.ts'
import { withReader } from '../load/client.ts'
import { usual } from '../data.ts'
import { atLeast } from '../row.ts'

export const storesAndItems: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  yield await withReader(data, (server, headers) =>
    besideBareHttp(bench, server, [{ path: '/integration/v1/stores', headers }], {
      id: 'stores',
      name: `stores list of ${data.stores}`,
      aim: atLeast(0.6),
    }),
  )
  yield await withReader(data, (server, headers) => {
    const requests = data.store_ids.map(id => ({
      path: `/integration/v1/inventory/items?store_id=${id}`,
      headers,
    }))
    const row = { id: 'items', name: 'items page of 100', aim: atLeast(0.6) }
    return besideBareHttp(bench, server, requests, row)
  })
}
