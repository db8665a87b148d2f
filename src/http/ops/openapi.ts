import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import { scopes } from '../../contract/scopes.ts'
import { referenceConfiguration, referenceHeaders, referencePath } from './reference.ts'

/** The API reference: OpenAPI 3.1 made from the routes' own schemas, and the page that shows it. */
export async function openapi(app: FastifyInstance, issuer: string): Promise<void> {
  const described = Object.fromEntries(Object.entries(scopes).map(([name, { gives }]) => [name, gives]))
  const withGrant = (grant: string) =>
    Object.fromEntries(
      Object.entries(described).filter(([name]) =>
        (scopes[name as keyof typeof scopes].grants as readonly string[]).includes(grant),
      ),
    )
  await app.register(swagger, {
    // A route without a tag is no part of the API.
    hideUntagged: true,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tillgate',
        version: '1',
        description:
          'Merchant integration API of a point-of-sale platform. Every answer of `/integration` and `/platform` is in ' +
          'an envelope whose `status.ack` equals the HTTP status; every error has a code of a closed set.',
      },
      servers: [{ url: issuer }],
      tags: [
        { name: 'Stores', description: 'The stores a token is authorized against' },
        { name: 'Orders', description: 'The orders of a store' },
        { name: 'Inventory', description: 'The items of a store and what each sold' },
        { name: 'Authorization', description: 'OAuth 2.0 (RFC 6749)' },
        { name: 'Platform', description: 'Data in, for the platform itself' },
      ],
      components: {
        securitySchemes: {
          oauth2: {
            type: 'oauth2',
            flows: {
              clientCredentials: {
                tokenUrl: `${issuer}/auth/v2/token`,
                scopes: withGrant('client_credentials'),
              },
              authorizationCode: {
                authorizationUrl: `${issuer}/auth/v2/authorize`,
                tokenUrl: `${issuer}/auth/v2/token`,
                refreshUrl: `${issuer}/auth/v2/token`,
                scopes: withGrant('authorization_code'),
              },
            },
          },
        },
      },
    },
  })
  await app.register(async scope => {
    scope.addHook('onSend', async (_request, reply, payload) => {
      reply.headers(referenceHeaders(hashOf(payload)))
      return payload
    })
    for (const path of ['', '/', '/js/scalar.js']) {
      scope.get(referencePath + path, async (_request, reply) => {
        const page = await (await reference()).inject(referencePath + path)
        const { location, 'content-type': type } = page.headers
        if (type !== undefined) reply.type(String(type))
        if (location !== undefined) reply.header('location', location)
        return reply.code(page.statusCode).send(page.payload)
      })
    }
  })
  app.get('/openapi.json', async () => app.swagger())
}

let loaded: Promise<FastifyInstance> | null = null

/**
 * The page's own small server, made when someone looks at the page for the first time: its script comes inside its
 * module, which takes a tenth of a second and 30 MB to load.
 */
const reference = (): Promise<FastifyInstance> => {
  loaded ??= import('@scalar/fastify-api-reference').then(async ({ default: scalar }) => {
    const server = Fastify()
    const configuration = { ...referenceConfiguration, pageTitle: 'Tillgate API' }
    await server.register(scalar, { routePrefix: referencePath, configuration: configuration as never })
    await server.ready()
    return server
  })
  return loaded
}

/** The reference page starts itself by one inline script; the policy names that one and no other. */
function hashOf(payload: unknown): string | undefined {
  const inline =
    typeof payload === 'string'
      ? /<script type="text\/javascript">([^]*?)<\/script>/.exec(payload)?.[1]
      : undefined
  return inline === undefined ? undefined : createHash('sha256').update(inline).digest('base64')
}
