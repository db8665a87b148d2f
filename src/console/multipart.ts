import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A form has a file and a few fields. Each part costs time, and a body of parts alone would block the process. */
const maxParts = 10

/**
 * Forms with a file, of the routes that take one. The body is read whole, up to the route's limit, and parsed by Node's own `Response`. Files become
 * buffers without the name and the type that the sender gave them.
 */
export function readMultipart(app: FastifyInstance, isUpload: (route: string) => boolean): void {
  const options = { parseAs: 'buffer' } as const
  app.addContentTypeParser<Buffer>(
    'multipart/form-data',
    options,
    async ({ headers, routeOptions }: FastifyRequest, body: Buffer) => {
      if (!isUpload(routeOptions.url ?? '') || hasManyParts(body)) throw unreadable()
      const sent: Record<string, (string | Buffer)[]> = Object.create(null)
      for (const [name, value] of await parse(body, headers['content-type'] ?? '')) {
        const values = sent[name] ?? []
        values.push(typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()))
        sent[name] = values
      }
      return Object.fromEntries(
        Object.entries(sent).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
      )
    },
  )
}

async function parse(body: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw unreadable(cause)
  }
}

const unreadable = (cause?: unknown): Error =>
  Object.assign(new Error('the form cannot be read', { cause }), { statusCode: 400 })

/** Every part begins with a Content-Disposition. */
function hasManyParts(body: Buffer): boolean {
  const text = body.toString('latin1').toLowerCase()
  return text.split('content-disposition', maxParts + 2).length > maxParts + 1
}
