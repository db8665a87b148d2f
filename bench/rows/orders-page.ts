import type { Rows } from '../bench.ts'
import { besideBareHttp } from '../beside-bare-http.ts'
import { orderRequests, withReader } from '../load/client.ts'
import { usual } from '../data.ts'
import { atLeast } from '../row.ts'

/** Pages of orders, of random stores and windows. */
export const ordersPage: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  for (const count of [100, 1000, 2000]) {
    yield await withReader(data, (server, headers) =>
      besideBareHttp(bench, server, orderRequests(data, count, headers), {
        id: `orders-${count}`,
        name: `orders page of ${count}, random store and window`,
        aim: atLeast(0.5),
      }),
    )
  }
}
