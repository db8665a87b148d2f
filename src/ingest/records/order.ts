import { fulfillments, sources } from '../../contract/codes.ts'
import { OrderRecord } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import type { OrderRow } from '../../storage/port/index.ts'
import { compileRecord, datetimeOf } from './compile.ts'
import type { Problems } from './problems.ts'
import { createSoldCounter } from './sold-counter.ts'

export function createOrderReader(): (cursor: JsonCursor, problems: Problems) => OrderRow | null {
  const record = compileRecord(OrderRecord)
  const counter = createSoldCounter(record)
  const id = record.index('id')
  const status = record.index('status')
  const store_id = record.index('store_id')
  const subtotal = record.index('subtotal')
  const created = record.index('created_at')
  const updated = record.index('updated_at')
  const created_at = datetimeOf(record, 'created_at')
  const updated_at = datetimeOf(record, 'updated_at')
  const paid_at = datetimeOf(record, 'paid_at')
  const labelled = [
    { code: record.index('source_type'), label: record.index('source'), labels: labelsOf(sources) },
    {
      code: record.index('fulfillment_type'),
      label: record.index('fulfillment'),
      labels: labelsOf(fulfillments),
    },
  ]

  return (cursor, problems) => {
    counter.reset()
    // A missing field is not read, so its reader would still have the time of the order before.
    updated_at.seconds = null
    paid_at.seconds = null
    record.scan(cursor, problems)
    if (problems.count > 0) return null
    // Labels always follow from their codes, so an order read from the API can be pushed back unchanged.
    for (const { code, label, labels } of labelled) {
      record.replace(label, labels.get(record.value(code)) ?? 'null')
    }
    if (updated_at.seconds === null) record.replace(updated, record.value(created))
    return {
      store_id: BigInt(record.value(store_id)),
      id: JSON.parse(record.value(id)) as string,
      created_at: created_at.seconds as Seconds,
      updated_at: updated_at.seconds ?? (created_at.seconds as Seconds),
      paid_at: paid_at.seconds,
      subtotal: record.value(subtotal) === 'null' ? 0 : Number(record.value(subtotal)),
      sold: counter.sold(record.value(status)),
      // Without the first field, `kind`, which is no part of the order.
      doc: `{${record.render(1)}}`,
    }
  }
}

const labelsOf = (table: Readonly<Record<number, string>>): Map<string, string> =>
  new Map(Object.entries(table).map(([code, label]) => [code, JSON.stringify(label)]))
