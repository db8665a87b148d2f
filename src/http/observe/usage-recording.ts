import type { FastifyRequest } from 'fastify'
import type { Page } from '../../domain/reading/page.ts'
import type { ReadKind } from '../../domain/usage/counters.ts'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import { originForm } from '../../lib/origin-form.ts'
import { type RequestEnd, type RequestEnds, clientLeft } from './request-ends.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page that it was answered with. */
    page: Page | null
    /** The code of the error that it was answered with. */
    error_code: string | null
    /** The app behind a request without a principal: a client of the token endpoint, or that of an expired token. */
    client_id: string | null
  }
}

interface Endpoint {
  name: string
  /** What it gives out of a store. */
  kind: ReadKind | null
}

const reads: Record<string, ReadKind> = {
  '/integration/v1/orders': 'orders',
  '/integration/v1/inventory/items': 'items',
  '/integration/v1/inventory/sales': 'sales',
}

const isCounted = (path: string): boolean =>
  /^\/(integration|platform)\/|^\/auth\/v2\/(token|introspect|revoke)$/.test(path)

const noEndpoint: Endpoint = { name: 'no such endpoint', kind: null }

/** Tells the recorder of every request to the APIs; pages, health and documents are not counted. */
/** Failed authentications that are told to the app they name: enough to see what is wrong, too few to drown the rest. */
const mostUnproven = 20
const unprovenEvery = 5000

export function recordUsage(ends: RequestEnds, recorder: UsageRecorder): void {
  /** By route, then by method: neither is the client's invention. */
  const endpoints = new Map<string, Map<string, Endpoint | null>>()

  function endpointOf({ route, method, request }: RequestEnd): Endpoint | null {
    if (route === null) return isCounted(originForm(request.raw.url ?? '/')) ? noEndpoint : null
    let ofRoute = endpoints.get(route)
    if (!ofRoute) {
      ofRoute = new Map()
      endpoints.set(route, ofRoute)
    }
    let endpoint = ofRoute.get(method)
    if (endpoint === undefined) {
      endpoint = isCounted(route) ? { name: `${method} ${route}`, kind: reads[route] ?? null } : null
      ofRoute.set(method, endpoint)
    }
    return endpoint
  }

  let unproven = new Map<string, number>()
  let since = 0
  /** The client that was named. Where it did not prove itself anybody may have named it: only so often it counts. */
  function named({ request: { client_id }, route, status }: RequestEnd): string | null {
    const proven = !route?.startsWith('/auth/') || (status !== 401 && status !== 429)
    if (client_id === null || proven) return client_id
    const now = performance.now()
    if (now - since > unprovenEvery) {
      unproven = new Map()
      since = now
    }
    const before = unproven.get(client_id) ?? 0
    unproven.set(client_id, before + 1)
    return before < mostUnproven ? client_id : null
  }

  ends.listen(end => {
    const endpoint = endpointOf(end)
    if (endpoint === null) return
    const { request, method, status, milliseconds, aborted } = end
    const app_id = request.principal?.claim.app_id ?? named(end) ?? ''
    const store_id = storeOf(request)
    recorder.request({
      app_id,
      at_ms: 0,
      request_id: request.id,
      method,
      endpoint: endpoint.name,
      status: aborted ? clientLeft : status,
      error_code: aborted ? 'answer_incomplete' : (request.error_code ?? null),
      milliseconds,
      store_id,
    })
    if (endpoint.kind === null || store_id === null || (status !== 200 && status !== 304)) return
    // A HEAD has no entries in its answer.
    const rows = method === 'GET' ? (request.page?.rows ?? 0) : 0
    recorder.read({ app_id, store_id, kind: endpoint.kind, rows })
  })
}

/** The store that was asked for, when its id could be read; a request whose address cannot be read has no parameters. */
function storeOf({ query, params }: FastifyRequest): bigint | null {
  const store_id = (query as Parameters | null)?.store_id ?? (params as Parameters | null)?.store_id
  return typeof store_id === 'bigint' ? store_id : null
}

interface Parameters {
  store_id?: unknown
}
