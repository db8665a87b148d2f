import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { makeOnce } from '../../lib/make-once.ts'
import { withoutScript } from './reference-introduction.ts'
import { openapiDocument } from './openapi-document.ts'
import { referenceConfiguration, referenceHeaders, referencePath } from './reference.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document of this server. */
    openapi(): ReturnType<typeof openapiDocument>
  }
}

/** The API reference: the OpenAPI document, made at the first request for it, and the page that shows it. */
export function openapi(app: FastifyInstance, issuer: string, options: { sandbox: boolean }): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  app.decorate(
    'openapi',
    makeOnce(() => openapiDocument(routes, issuer, options)),
  )
  for (const path of ['', '/', '/js/scalar.js']) {
    app.get(referencePath + path, async (_request, reply) => {
      const { status, headers, body } = await referenceResponse(referencePath + path)
      return reply.code(status).headers(headers).send(body)
    })
  }
  app.get('/openapi.json', () => app.openapi())
}

interface ReferenceResponse {
  status: number
  headers: Record<string, string>
  body: Buffer
}

const responses = new Map<string, Promise<ReferenceResponse>>()

/** Built once for each path: the script is four megabytes, and anybody can request it. */
function referenceResponse(path: string): Promise<ReferenceResponse> {
  const known = responses.get(path)
  if (known) return known
  const response = (async () => {
    const { statusCode, headers, rawPayload } = await (await reference()).inject(path)
    const { location, 'content-type': type } = headers
    return {
      status: statusCode,
      headers: {
        ...referenceHeaders(hashOf(rawPayload.toString())),
        ...(type !== undefined && { 'content-type': String(type) }),
        ...(location !== undefined && { location: String(location) }),
        // The script changes only with a release.
        ...(path.endsWith('.js') && { 'cache-control': 'public, max-age=3600' }),
      },
      body: path.endsWith('.js') ? rawPayload : Buffer.from(withStart(rawPayload.toString())),
    }
  })()
  response.catch(() => responses.delete(path))
  responses.set(path, response)
  return response
}

/**
 * A small server for the reference page, created at the first request for it: its module contains the page's script,
 * and takes a tenth of a second and 30 MB to load.
 */
const reference = makeOnce(async (): Promise<FastifyInstance> => {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = Fastify()
  const configuration = { ...referenceConfiguration, pageTitle: 'Tillgate API' }
  await server.register(scalar, { routePrefix: referencePath, configuration: configuration as never })
  await server.ready()
  return server
})

const withStart = (page: string): string =>
  page
    .replace('<html>', '<html lang="en">')
    // In dark mode the page is dark before its script has run.
    .replace('<head>', '<head>\n    <meta name="color-scheme" content="light dark">')
    .replace('<body>', `<body>\n    ${withoutScript}`)

/** The hash of the page's one inline script, which is the only one that the content security policy allows. */
function hashOf(page: string): string | undefined {
  const inline = /<script type="text\/javascript">([^]*?)<\/script>/.exec(page)?.[1]
  return inline === undefined ? undefined : createHash('sha256').update(inline).digest('base64')
}
