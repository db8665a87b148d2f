import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Forms with a file. The body is read whole, up to the route's limit, and parsed by Node's own `Response`. Files become
 * buffers without the name and the type that the sender gave them.
 */
export function readMultipart(app: FastifyInstance): void {
  const options = { parseAs: 'buffer' } as const
  app.addContentTypeParser<Buffer>(
    'multipart/form-data',
    options,
    async ({ headers }: FastifyRequest, body: Buffer) => {
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
    throw Object.assign(new Error('the form cannot be read', { cause }), { statusCode: 400 })
  }
}
