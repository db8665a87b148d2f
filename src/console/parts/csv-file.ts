import type { FastifyReply } from 'fastify'
import { csvLine, csvStart } from '../../lib/csv.ts'
import { sendFile } from './send-file.ts'

type Cells = (string | number | bigint | null)[]

/** A file whose rows are sent batch by batch. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  columns: readonly string[],
  batches: AsyncIterable<Cells[]>,
): FastifyReply {
  async function* lines(): AsyncGenerator<string> {
    for await (const rows of batches) yield rows.map(csvLine).join('')
  }
  const head = `${csvStart}${columns.join(',')}\r\n`
  return sendFile(reply, { name: `${name}.csv`, type: 'text/csv; charset=utf-8', head }, lines())
}
