import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { admitPieces } from '../../http/admission/overload.ts'
import { csvLine, csvStart } from '../../lib/csv.ts'

type Cells = (string | number | bigint | null)[]

/** A file whose rows are read as fast as the browser takes them; only one batch is in memory. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  head: readonly string[],
  batches: AsyncIterable<Cells[]>,
): FastifyReply {
  async function* lines(): AsyncGenerator<string> {
    yield `${csvStart}${head.join(',')}\r\n`
    for await (const rows of admitPieces(reply.request, batches)) {
      if (rows.length > 0) yield rows.map(csvLine).join('')
    }
  }
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines()))
}
