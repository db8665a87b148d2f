import { TillgateError } from './errors.ts'
import { parseExact } from './exact-json.ts'
import type { TokenSet, Tokens } from './tokens.ts'
import type { Transport } from './transport.ts'

/** Requests of the integration API: the token, and the envelope around the data. */

export interface ApiRequest {
  method?: 'GET' | 'POST'
  path: string
  /** Entries that are undefined are left out. */
  query?: Record<string, string | number | bigint | undefined>
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** Seconds that the server may hold the request; sent as the parameter `wait`. */
  wait?: number
  /** Reads a successful body; throws when half of it is missing. Default: exact JSON. */
  parse?: (text: string) => unknown
}

export interface ApiResponse {
  /** 2xx, or 304 with `data` null. */
  status: number
  headers: Headers
  /** `data` of the envelope, or what `parse` made of the whole text. */
  data: unknown
}

export interface Api {
  token(signal?: AbortSignal): Promise<TokenSet>
  request(request: ApiRequest): Promise<ApiResponse>
}

export function createApi(transport: Transport, tokens: Tokens): Api {
  /** A renewal serves every waiting request, so the signal of one ends only its own waiting. */
  const token = (signal: AbortSignal | undefined, refused?: string): Promise<TokenSet> =>
    abortable(tokens.get(refused), signal)

  async function request({
    query = {},
    wait = 0,
    parse = dataOf,
    ...rest
  }: ApiRequest): Promise<ApiResponse> {
    rest.signal?.throwIfAborted()
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(wait > 0 ? { ...query, wait } : query)) {
      if (value !== undefined) parameters.set(name, String(value))
    }
    const send = async ({ accessToken }: TokenSet) => {
      const headers = { ...rest.headers, authorization: `Bearer ${accessToken}` }
      const {
        status,
        headers: received,
        body,
      } = await transport.send({ ...rest, headers, query: parameters, wait, parse })
      return { status, headers: received, data: body }
    }
    const first = await token(rest.signal)
    try {
      return await send(first)
    } catch (error) {
      if (!(error instanceof TillgateError) || error.status !== 401) throw error
      // Once, with another token: it may have expired or been revoked early.
      return send(await token(rest.signal, first.accessToken))
    }
  }

  return { token, request }
}

function dataOf(text: string): unknown {
  const body = parseExact(text) as { data?: unknown } | null
  if (body?.data === undefined) throw new Error('the answer has no data')
  return body.data
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}
