import { type ErrorDetail, TillgateError } from './errors.ts'
import { parseExact } from './exact-json.ts'

/** One HTTP exchange and its retries. Knows nothing of tokens. */

interface RetryOptions {
  /** How often a request is sent again: default 5. */
  limit?: number
  /** First pause in milliseconds; it doubles with each retry: default 500. */
  base?: number
  /** Longest pause in milliseconds: default 30,000. A `Retry-After` counts in full up to ten times that. */
  max?: number
}

export interface TransportOptions {
  baseUrl: string | URL
  /** Default: the global `fetch`. */
  fetch?: typeof fetch
  retry?: RetryOptions
  /** Milliseconds for an answer, without the time that the request asks the server to wait: default 30,000; 0: no limit. */
  timeout?: number
  /** Called before each retry, with the error that causes it. */
  onRetry?: (error: TillgateError) => void
  /** Pauses between retries; another one in tests. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

interface Exchange {
  method?: 'GET' | 'POST'
  path: string
  query?: URLSearchParams
  headers?: Record<string, string>
  body?: URLSearchParams
  signal?: AbortSignal | undefined
  /** Seconds that the server may hold the request. */
  wait?: number
  /** Reads a successful body; throws when half of it is missing. Default: exact JSON. */
  parse?: (text: string) => unknown
}

interface Answer {
  status: number
  headers: Headers
  body: unknown
}

export interface Transport {
  /** The answer with status 2xx or 304; others are thrown, after the retries where one may help. */
  send(exchange: Exchange): Promise<Answer>
  /** Requests sent, retries included. */
  sent(): number
}

/** A read changes nothing, so it is also repeated after an error that a proxy or a failover causes for a moment. */
const transientForReads = [408, 500, 502, 504]

export function createTransport(options: TransportOptions): Transport {
  const { limit = 5, base = 500, max = 30_000 } = options.retry ?? {}
  const { timeout = 30_000, sleep = pause, onRetry } = options
  const origin = baseOf(options.baseUrl)
  let sent = 0

  async function attempt(exchange: Exchange): Promise<Answer> {
    const { method = 'GET', path, query, headers, body, signal, wait = 0, parse = parseExact } = exchange
    signal?.throwIfAborted()
    // Appended to the host, it would send the token elsewhere.
    if (!path.startsWith('/')) throw new TypeError(`path was "${path}"; it must begin with "/"`)
    // By hand: AbortSignal.any keeps a listener on a long-lived signal in some versions of Node.
    const controller = new AbortController()
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const late = new Error(`no answer within ${timeout / 1000 + wait} seconds`)
    const isLimited = timeout > 0 && timeout < Infinity
    const timer = isLimited ? timerOf(timeout + wait * 1000, () => controller.abort(late)) : undefined
    try {
      sent++
      const search = query && query.size > 0 ? `?${query}` : ''
      const response = await (options.fetch ?? fetch)(origin + path + search, {
        method,
        headers: { accept: 'application/json', ...headers },
        body: body ?? null,
        // A redirect would send the token elsewhere: it is an error, with its address.
        redirect: 'manual',
        signal: controller.signal,
      })
      const text = await response.text()
      const { status, ok, headers: received } = response
      if (!ok && status !== 304) throw errorOf(response, text, `${method} ${path}`)
      return { status, headers: received, body: ok ? parsed(text, parse, response) : null }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof TillgateError) throw error
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new TillgateError('connection_failed', `${method} ${path}: ${messageOf(reason)}`, {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  async function send(exchange: Exchange): Promise<Answer> {
    for (let retries = 0; ; retries++) {
      try {
        return await attempt(exchange)
      } catch (error) {
        if (!(error instanceof TillgateError)) throw error
        const delay = delayOf(error, exchange.method, retries)
        if (retries >= limit || delay === null) throw error
        onRetry?.(error)
        await sleep(delay, exchange.signal)
      }
    }
  }

  /** Milliseconds until the next attempt; null when a retry is of no use. */
  function delayOf(error: TillgateError, method: Exchange['method'], retries: number): number | null {
    const { code, status, retryAfter } = error
    // A proxy may cut an answer off and still end it properly, or answer with a page of its own.
    const isTransient =
      code === 'connection_failed' ||
      [429, 503].includes(status) ||
      (code === 'response_invalid' && status >= 200 && status < 300)
    if (!isTransient && (method === 'POST' || !transientForReads.includes(status))) return null
    const step = Math.min(max, base * 2 ** retries)
    // Jitter, so that clients that failed together do not return together; never before Retry-After.
    if (retryAfter === null) return step * (0.5 + Math.random() / 2)
    return retryAfter * 1000 > max * 10 ? null : retryAfter * 1000 + Math.random() * Math.min(step, 1000)
  }

  return { send, sent: () => sent }
}

/** The address that paths are appended to. */
export function baseOf(url: string | URL): string {
  const text = String(url)
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new TypeError(`baseUrl was "${text}"; it must be an http(s) address`)
  }
  return new URL(text).href.replace(/[?#].*$/, '').replace(/\/+$/, '')
}

function parsed(text: string, parse: (text: string) => unknown, { status, headers, url }: Response): unknown {
  try {
    return parse(text)
  } catch (error) {
    const requestId = headers.get('x-request-id')
    const message = `${status} ${url} is not an answer of the API: ${messageOf(error)}`
    throw new TillgateError('response_invalid', message, { status, requestId, cause: error })
  }
}

/** Node gives an error about several addresses of one name a code and no message. */
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error)

/** The error that an answer reports, in the API's envelope or as RFC 6749 §5.2. */
function errorOf({ status, headers, type }: Response, text: string, request: string): TillgateError {
  const body = errorBodyOf(text)
  const errors = body?.status?.errors
  const {
    code = body?.error,
    message = body?.error_description,
    details = [],
  } = typeof errors === 'string' ? { message: errors } : (errors ?? {})
  const known = code ?? codesOfStatus[status] ?? 'response_invalid'
  // A browser hides the status and the address of a redirect.
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  const target = isRedirect ? `redirects to ${headers.get('location') ?? 'another address'}` : known
  const said = message === undefined ? `${request}: ${status} ${target}` : `${status} ${message}`
  return new TillgateError(known, said, {
    status,
    requestId: headers.get('x-request-id'),
    details,
    retryAfter: secondsOf(headers),
  })
}

/** For answers of a proxy, or of another server of the specification. */
const codesOfStatus: Record<number, string> = {
  401: 'token_invalid',
  408: 'request_timeout',
  422: 'parameter_invalid',
  429: 'rate_limited',
  500: 'server_error',
  503: 'service_unavailable',
}

interface ErrorBody {
  status?: { errors?: string | { code?: string; message?: string; details?: ErrorDetail[] } }
  error?: string
  error_description?: string
}

function errorBodyOf(text: string): ErrorBody | null {
  try {
    return JSON.parse(text) as ErrorBody | null
  } catch {
    return null
  }
}

/** RFC 9110 §10.2.3: seconds, or a date, by the server's clock if the answer says what it shows. */
function secondsOf(headers: Headers): number | null {
  const header = headers.get('retry-after')
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header)
  const [date, now] = [Date.parse(header), Date.parse(headers.get('date') ?? '')]
  return Number.isNaN(date) ? null : Math.max(0, (date - (Number.isNaN(now) ? Date.now() : now)) / 1000)
}

/** A longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

const timerOf = (milliseconds: number, act: () => void) =>
  setTimeout(act, Math.min(milliseconds, longestTimer))

/** Resolves after the time; rejects at once with the signal's reason. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = timerOf(milliseconds, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
