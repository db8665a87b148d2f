import { fields, text } from '../fields.ts'
import type { PageScope } from '../page-scope.ts'
import { assetFiles } from './asset-files.ts'

/**
 * Stylesheets, script and icon. They carry no secret. While nodes of two releases share one address, a node may be asked
 * for the other release's version: it answers with its own, not to be cached.
 */
export async function assets(scope: PageScope): Promise<void> {
  for (const [path, { type, body, version }] of Object.entries(assetFiles)) {
    const caching = (asked: string): string => {
      if (asked === version) return 'public, max-age=31536000, immutable'
      return asked === '' ? 'public, max-age=3600' : 'no-store'
    }
    scope.get(path, { schema: { querystring: fields({ v: text }) } }, async (request, reply) =>
      reply.type(type).header('cache-control', caching(request.query.v)).send(body),
    )
  }
}
