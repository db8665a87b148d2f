import { Item } from '../../contract/item.ts'
import { ItemRecord } from '../../contract/record.ts'
import type { Seconds } from '../../lib/clock.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import type { ItemRow } from '../../storage/port/index.ts'
import { compileRecord, datetimeOf } from './compile.ts'
import type { Problems } from './problems.ts'

export function createItemReader(): (cursor: JsonCursor, problems: Problems) => ItemRow | null {
  const record = compileRecord(ItemRecord)
  const id = record.index('id')
  const store_id = record.index('store_id')
  const updated_at = datetimeOf(record, 'updated_at')
  const stored = Object.keys(Item.properties).map(name => ({ key: `"${name}":`, index: record.index(name) }))

  return (cursor, problems) => {
    record.scan(cursor, problems)
    if (problems.count > 0) return null
    return {
      store_id: BigInt(record.value(store_id)),
      id: BigInt(record.value(id)),
      updated_at: updated_at.seconds as Seconds,
      doc: `{${stored.map(({ key, index }) => key + record.value(index)).join(',')}}`,
    }
  }
}
