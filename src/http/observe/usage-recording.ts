import type { FastifyRequest } from 'fastify'
import type { Page } from '../../domain/reading/page.ts'
import type { ReadKind } from '../../domain/usage/counters.ts'
import type { UsageRecorder } from '../../domain/usage/recorder.ts'
import { originForm } from '../../lib/origin-form.ts'
import { loggedProblem, loggedQuery, type Problem } from './refusal.ts'
import { type RequestEnd, type RequestEnds, clientClosedRequest } from './request-ends.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page in the response; of `changes` with the number of orders in it. */
    page: (Page & { orders?: number }) | null
    /** The code of the error in the response. */
    error_code: string | null
    /** The error in the response, for the request log of its app. */
    problem: Problem | null
    /** The app of a request without a principal: the token endpoint's client, or the app of an expired token. */
    client_id: string | null
  }
}

interface Endpoint {
  name: string
  /** The store's data that it returns. */
  kind: ReadKind | 'changes' | null
}

const reads: Record<string, ReadKind | 'changes'> = {
  '/integration/v1/orders': 'orders',
  '/integration/v1/inventory/items': 'items',
  '/integration/v1/inventory/sales': 'sales',
  '/integration/v1/changes': 'changes',
}

/** Only refused requests of a known app are recorded: the others are opened by merchants. */
const authorizePath = '/auth/v2/authorize'

const isCounted = (path: string): boolean =>
  /^\/(integration|platform)\/|^\/auth\/v2\/(authorize|token|introspect|revoke)$/.test(path)

const noEndpoint: Endpoint = { name: 'no such endpoint', kind: null }

/**
 * Failed client authentications, and refused authorizations, recorded for the client_id that they name, in each period of
 * milliseconds. Anybody can send any client_id, so without a limit a stranger could fill an app's request log.
 */
const maxUnauthenticated = 20
const unauthenticatedPeriod = 5000

/** Records every request to the APIs; pages, health checks and documents are not counted. */
export function recordUsage(ends: RequestEnds, recorder: UsageRecorder): void {
  /** By route, then by method: both come from the server's routes, so the map stays small. */
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

  let unauthenticated = new Map<string, number>()
  let since = 0
  /** The client_id in the request, or null when too many requests with it failed to authenticate. */
  function clientOf({ request: { client_id }, route, status }: RequestEnd): string | null {
    const authenticated =
      !route?.startsWith('/auth/') || (route !== authorizePath && status !== 401 && status !== 429)
    if (client_id === null || authenticated) return client_id
    const now = performance.now()
    if (now - since > unauthenticatedPeriod) {
      unauthenticated = new Map()
      since = now
    }
    const before = unauthenticated.get(client_id) ?? 0
    unauthenticated.set(client_id, before + 1)
    return before < maxUnauthenticated ? client_id : null
  }

  ends.listen(end => {
    const endpoint = endpointOf(end)
    if (endpoint === null) return
    const { request, method, status, milliseconds, aborted } = end
    const app_id = request.principal?.claim.app_id ?? clientOf(end) ?? ''
    if (end.route === authorizePath && app_id === '') return
    const store_id = storeOf(request)
    const isRefused = aborted || status >= 400
    // A request without a known app is in nobody's log.
    const isShown = isRefused && app_id !== ''
    recorder.request({
      app_id,
      at_ms: 0,
      request_id: request.id,
      method,
      endpoint: endpoint.name,
      status: aborted ? clientClosedRequest : status,
      error_code: aborted ? 'answer_incomplete' : (request.error_code ?? null),
      milliseconds,
      store_id,
      query: isShown ? loggedQuery(request.raw.url ?? '') : null,
      problem: isShown && !aborted ? loggedProblem(request.problem) : null,
    })
    if (endpoint.kind === null || store_id === null || (status !== 200 && status !== 304)) return
    // The response to HEAD has no entries.
    const { rows = 0, orders = 0 } = (method === 'GET' && request.page) || {}
    const { kind } = endpoint
    if (kind !== 'changes') return recorder.read({ app_id, store_id, kind, rows })
    // An answer without entries, which most polls get, is a read of orders.
    if (orders > 0 || rows === 0) recorder.read({ app_id, store_id, kind: 'orders', rows: orders })
    if (rows > orders) recorder.read({ app_id, store_id, kind: 'items', rows: rows - orders })
  })
}

/** The requested store, if its id is valid; a request with an unreadable URL has no parameters. */
function storeOf({ query, params }: FastifyRequest): bigint | null {
  const store_id = (query as Parameters | null)?.store_id ?? (params as Parameters | null)?.store_id
  return typeof store_id === 'bigint' ? store_id : null
}

interface Parameters {
  store_id?: unknown
}
