import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'

const require = createRequire(import.meta.url)

const css = 'text/css; charset=utf-8'

/** What the pages look like: read once. It carries no secret and changes with the release only. */
export async function assets(app: FastifyInstance): Promise<void> {
  const files = [
    {
      url: '/assets/pico.css',
      type: css,
      body: await readFile(require.resolve('@picocss/pico/css/pico.min.css')),
    },
    {
      url: '/assets/console.css',
      type: css,
      body: await readFile(new URL('./console.css', import.meta.url)),
    },
    // Where browsers look for it by themselves, so that the API reference has it too.
    {
      url: '/favicon.ico',
      type: 'image/svg+xml',
      body: await readFile(new URL('./icon.svg', import.meta.url)),
    },
  ]
  for (const { url, type, body } of files) {
    app.get(url, async (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=3600').send(body),
    )
  }
}
