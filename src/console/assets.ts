import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { allowOnly } from '../http/route.ts'

const require = createRequire(import.meta.url)

/** The stylesheets, read once. They carry no secret and change with the release only. */
export async function assets(app: FastifyInstance): Promise<void> {
  const sheets = {
    '/assets/pico.css': await readFile(require.resolve('@picocss/pico/css/pico.min.css')),
    '/assets/console.css': await readFile(new URL('./console.css', import.meta.url)),
  }
  for (const [url, sheet] of Object.entries(sheets)) {
    app.get(url, { schema: { hide: true } as never }, async (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(sheet),
    )
    allowOnly(app, url, 'GET', 'HEAD')
  }
}
