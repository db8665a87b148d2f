import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { admitPieces } from '../../http/admission/overload.ts'

interface File {
  name: string
  type: string
  /** What comes before the first piece. */
  head?: string
}

/** A file that is read as fast as the browser takes it; only one piece is in memory, and each passes admission control. */
export function sendFile(
  reply: FastifyReply,
  { name, type, head = '' }: File,
  pieces: AsyncIterable<string>,
): FastifyReply {
  async function* admitted(): AsyncGenerator<string> {
    if (head !== '') yield head
    for await (const text of admitPieces(reply.request, pieces)) if (text !== '') yield text
  }
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(admitted()))
}
