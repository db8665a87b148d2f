import type { FastifyInstance } from 'fastify'
import { assetFiles } from './asset-files.ts'

/**
 * Stylesheets, script and icon. They carry no secret. While nodes of two releases stand behind one address, either may
 * be asked for the other's version: it answers with what it has, and says not to keep that.
 */
export function assets(app: FastifyInstance): void {
  for (const [path, { type, body, version }] of Object.entries(assetFiles)) {
    const caching = (asked: unknown): string => {
      if (asked === version) return 'public, max-age=31536000, immutable'
      return asked === undefined ? 'public, max-age=3600' : 'no-store'
    }
    app.get(path, async (request, reply) =>
      reply
        .type(type)
        .header('cache-control', caching((request.query as { v?: unknown }).v))
        .send(body),
    )
  }
}
