import { connect } from 'node:net'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import type { BareOrder } from './order.ts'

/**
 * The limit for writing to PostgreSQL: the same documents by COPY, the same number of orders a transaction. A single one by
 * INSERT, which is one round trip.
 */
export async function bareCopy(url: string, orders: readonly BareOrder[], batch: number): Promise<number> {
  const sql = postgres(url, { max: 1, socket: connectAtOnce } as postgres.Options<{}>)
  await sql`create table orders (store_id bigint, created_at text, id text, doc text,
    primary key (store_id, created_at, id))`
  const start = performance.now()
  for (let at = 0; at < orders.length; at += batch) {
    const order = orders[at]
    if (batch === 1 && order) {
      const { store_id, created_at, id, doc } = order
      await sql`insert into orders values (${store_id}, ${created_at}, ${id}, ${doc})`
      continue
    }
    const rows = orders
      .slice(at, at + batch)
      .map(({ store_id, created_at, id, doc }) =>
        [store_id, created_at, id, doc.replaceAll('\\', '\\\\')].join('\t'),
      )
    await sql.begin(async tx => {
      const copy = await tx`copy orders (store_id, created_at, id, doc) from stdin`.writable()
      await pipeline([`${rows.join('\n')}\n`], copy)
    })
  }
  const seconds = (performance.now() - start) / 1000
  await sql.end()
  return orders.length / seconds
}

/** Without Nagle's algorithm, for which the end of every COPY waits about 40 ms. The driver's types do not know this option. */
const connectAtOnce = async ({ host, port }: { host: string[]; port: number[] }) =>
  connect({ host: host[0], port: Number(port[0]), noDelay: true })
