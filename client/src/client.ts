import {
  type AuthorizationRequest,
  authorizationUrl,
  completeAuthorization,
  type PendingAuthorization,
} from './authorization.ts'
import { type ApiRequest, type ApiResponse, createApi, dataAs, exactText } from './api.ts'
import {
  changesOf,
  type ChangesOptions,
  type ChangesList,
  listOf,
  type List,
  ordersOf,
  type OrdersOptions,
} from './lists.ts'
import { createTokens, type TokenOptions, type TokenSet } from './tokens.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import type { Item, Order, ReceiptDay, Receipts, Store, StoreId } from './types.ts'
import { formatTime, type Time } from './time.ts'

export interface ClientOptions extends TransportOptions, TokenOptions {
  /** The server's `iss`; default: `baseUrl`. */
  issuer?: string
}

/** Each takes an AbortSignal. */
interface CallOptions {
  signal?: AbortSignal
}

interface PageOptions extends CallOptions {
  /** Entries of a page: default 1000. */
  count?: number
}

export interface Client {
  /** The stores that the token may read. */
  stores(options?: PageOptions): List<Store>
  /** Orders by `created_at`, both ends included, however long the time between them is. */
  orders(options: OrdersOptions): List<Order>
  items(options: PageOptions & { storeId: StoreId; updatedAfter?: Time }): List<Item>
  /** Every order and item by `seq`; ends when there is no more, or waits for more with `follow`. */
  changes(options: ChangesOptions): ChangesList
  /** The server's counts and digests: await it for the whole, or iterate over the days. At most 400 days. */
  receipts(
    options: CallOptions & { storeId: StoreId; startDay: string; endDay: string },
  ): Promise<Receipts> & AsyncIterable<ReceiptDay>
  /** Activates the integration for a store. */
  activate(options: CallOptions & { storeId: StoreId }): Promise<Store & { scope: string }>
  /** Where to send the merchant's browser. */
  authorizationUrl(request: AuthorizationRequest): Promise<PendingAuthorization>
  /** Exchanges the code of the address that the browser came back to. After an abort it may be called again. */
  completeAuthorization(
    callbackUrl: string | URL,
    pending: Pick<PendingAuthorization, 'state' | 'codeVerifier' | 'redirectUri'>,
    options?: CallOptions,
  ): Promise<TokenSet>
  /** The current access token, for requests of your own. */
  token(options?: CallOptions): Promise<TokenSet>
  /** Any GET or POST of the API, with token and retries. */
  request(request: ApiRequest): Promise<ApiResponse>
  /** HTTP requests sent so far, retries included. */
  requests(): number
}

export function createClient(options: ClientOptions): Client {
  for (const name of ['baseUrl', 'clientId'] as const) {
    // In JavaScript the options may be missing.
    if (!(options as Partial<ClientOptions> | undefined)?.[name])
      throw new TypeError(`createClient needs ${name}`)
  }
  const transport = createTransport(options)
  const tokens = createTokens(transport, options)
  const api = createApi(transport, tokens)
  const receipts = async ({ storeId, startDay, endDay, signal }: Parameters<Client['receipts']>[0]) => {
    const query = { store_id: storeId, start_day: startDay, end_day: endDay }
    const parse = dataAs(({ days }) => Array.isArray(days))
    return (await api.request({ path: '/integration/v1/receipts', query, signal, parse })).data as Receipts
  }
  return {
    stores: (list = {}) => listOf(api, { ...list, path: '/integration/v1/stores', windows: [{}] }),
    orders: list => ordersOf(api, list),
    items: ({ storeId, updatedAfter, ...list }) => {
      const after = updatedAfter === undefined ? {} : { updated_after: formatTime(updatedAfter) }
      const windows = [{ store_id: storeId, ...after }]
      return listOf(api, { ...list, path: '/integration/v1/inventory/items', windows })
    },
    changes: list => changesOf(api, list),
    receipts: request => {
      const answer = receipts(request)
      return Object.assign(answer, {
        async *[Symbol.asyncIterator]() {
          yield* (await answer).days
        },
      })
    },
    activate: async ({ storeId, signal }) => {
      const path = `/integration/v1/store/${encodeURIComponent(exactText(storeId, 'storeId'))}/activate`
      return (await api.request({ method: 'POST', path, signal })).data as Store & { scope: string }
    },
    authorizationUrl: request => authorizationUrl(options, request),
    completeAuthorization: (callbackUrl, pending, { signal } = {}) =>
      completeAuthorization(options, tokens, callbackUrl, pending, signal),
    token: ({ signal } = {}) => api.token(signal),
    request: api.request,
    requests: transport.sent,
  }
}
