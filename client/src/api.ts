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
  async function request({
    query = {},
    wait = 0,
    parse = dataOf,
    ...rest
  }: ApiRequest): Promise<ApiResponse> {
    rest.signal?.throwIfAborted()
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(wait > 0 ? { ...query, wait } : query)) {
      if (value !== undefined) parameters.set(name, exactText(value, name))
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
    const first = await tokens.get(rest.signal)
    try {
      return await send(first)
    } catch (error) {
      if (!(error instanceof TillgateError) || error.status !== 401) throw error
      // Once, with another token: it may have expired or been revoked early.
      return send(await tokens.get(rest.signal, first.accessToken))
    }
  }

  return { token: tokens.get, request }
}

/** `data` of the envelope; throws when `isExpected` says no. */
export const dataAs =
  (isExpected: (data: Record<string, unknown>) => boolean) =>
  (text: string): unknown => {
    const data = dataOf(text) as Record<string, unknown> | null
    if (data !== null && isExpected(data)) return data
    throw new Error('its data has another form')
  }

function dataOf(text: string): unknown {
  const body = parseExact(text) as { data?: unknown } | null
  if (body?.data === undefined) throw new Error('the answer has no data')
  return body.data
}

/** Refuses a number that has lost its digits already. */
export function exactText(value: string | number | bigint, name: string): string {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value)
  throw new TypeError(
    `${name} is ${value}, beyond 2^53, where numbers are not exact: give a bigint or a string`,
  )
}
