import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { demoRecords } from '../src/demo/records.ts'
import type { BareOrder } from './bare/order.ts'

const days = 90

/** The demo's orders, as a file for the import, as lines for HTTP, and as bare rows for the limit. */
export interface Records {
  file: string
  lines: string[]
  bare: BareOrder[]
}

export async function makeRecords(orders: number, folder: string, stores = 10): Promise<Records> {
  const file = join(folder, `records-${stores}.ndjson`)
  const out = createWriteStream(file)
  const lines: string[] = []
  const bare: BareOrder[] = []
  const end = Math.floor(Date.now() / 1000)
  for (const record of demoRecords({ stores, orders, days, seed: 1, end })) {
    const line = JSON.stringify(record)
    if (!out.write(`${line}\n`)) await once(out, 'drain')
    lines.push(line)
    if (record.kind !== 'order') continue
    bare.push({ store_id: record.store_id, created_at: record.created_at, id: record.id, doc: line })
  }
  out.end()
  await once(out, 'close')
  return { file, lines, bare }
}
