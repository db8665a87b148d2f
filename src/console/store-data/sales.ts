import type { Static } from 'typebox'
import type { Reader } from '../../domain/reading/access.ts'
import { mostDays, type StoreSales } from '../../domain/store-data/sales.ts'
import { addDays, datesUntil, isDate, localDate } from '../../lib/local-date.ts'
import type { ConsoleDeps } from '../deps.ts'
import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { maxSeries } from '../parts/chart/series.ts'
import { pageNumber } from '../parts/pagination.ts'
import { sendHtml } from '../send-html.ts'
import { sendCsv } from '../parts/csv-file.ts'
import { salesPage } from './sales.view.ts'
import { type OpenStore, readerOf } from './store.ts'

const pageSize = 50
const usualDays = 7

const salesQuery = fields({ from: text, to: text, page: text })

/** How many of each item a store sold, in a period and on each of its days. */
export function storeSalesPages(scope: PageScope, { data, clock }: ConsoleDeps, base: string): void {
  const schema = { querystring: salesQuery }

  scope.get(`${base}/sales`, { schema }, async ({ account, openStore: open, query }, reply) => {
    const reader = readerOf(account)
    const { id, timezone } = open.store
    const { dates, problem } = datesOf(open, query)
    const sales = await data.sales.read(reader, id, dates, timezone)
    const last = Math.max(1, Math.ceil(sales.total.length / pageSize))
    const page = Math.min(pageNumber(query.page), last)
    const rows = sales.total.slice((page - 1) * pageSize, page * pageSize)
    const charted = sales.total.slice(0, maxSeries - 1)
    const names = await data.items.names(reader, id, [
      ...new Set([...rows, ...charted].map(({ item_id }) => item_id)),
    ])
    return sendHtml(reply, salesPage({ open, dates, problem, sales, rows, charted, names, page, last }))
  })

  scope.get(`${base}/sales/export`, { schema }, async ({ account, openStore: open, query }, reply) => {
    const reader = readerOf(account)
    const { id, timezone } = open.store
    const { dates } = datesOf(open, query)
    const sales = await data.sales.read(reader, id, dates, timezone)
    const name = `sales-${id}-${dates[0]}-${dates.at(-1)}`
    return sendCsv(reply, name, ['day', 'item_id', 'item', 'sold'], rowsOf(reader, id, sales))
  })

  async function* rowsOf(reader: Reader, store_id: bigint, { total, days }: StoreSales) {
    const ids = total.map(({ item_id }) => item_id)
    const names = await data.items.names(reader, store_id, ids)
    for (const { date, sold } of days) {
      yield sold.map(({ item_id, count }) => [date, item_id, names.get(item_id) ?? null, count])
    }
  }

  /** The days that the query asks for, as far as that is a period; else the last week. */
  function datesOf({ store }: OpenStore, { from, to }: Static<typeof salesQuery>) {
    const today = localDate(clock.now(), store.timezone)
    const last = isDate(to) ? to : today
    const first = isDate(from) ? from : addDays(last, 1 - usualDays)
    const count = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1
    if (count < 1) {
      return { dates: datesUntil(last, usualDays), problem: 'The first day is after the last one.' }
    }
    if (count > mostDays) {
      const problem = `The period has ${count} days. This page shows at most ${mostDays}: here are the last of them.`
      return { dates: datesUntil(last, mostDays), problem }
    }
    return { dates: datesUntil(last, count), problem: undefined }
  }
}
