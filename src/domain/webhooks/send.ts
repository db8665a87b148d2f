import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { AddressRules } from './address.ts'
import { literalAddress } from './url.ts'

/** Milliseconds for the connection, the headers and the body together. */
const timeLimit = 10_000

/** Milliseconds for the body behind the headers: the status has decided, and a slow body would hold one of the slots. */
const bodyTime = 1000

/** Informational responses (1xx) before the answer. Node reads any number of them, with all of a CPU. */
const maxInformational = 10

/** Bytes of an answer that are read, and how many of them are kept. */
const maxRead = 65_536
const maxKept = 1000

export interface Answer {
  /** Null without an answer. */
  status: number | null
  problem: string | null
  /** The beginning of its body. */
  answer: string | null
  retry_after: string | undefined
  duration_ms: number
}

export type Send = (url: string, headers: Record<string, string>, body: string) => Promise<Answer>

export type Lookup = typeof systemLookup

/** Sends one POST on a connection of its own; follows no redirect. Never rejects. */
export function createSend(rules: AddressRules, limit_ms = timeLimit, lookup: Lookup = systemLookup): Send {
  const limits = { rules, limit_ms, lookup }
  return async (text, headers, body) => {
    const began = performance.now()
    const result = await exchange(new URL(text), headers, body, limits).catch(error => ({
      status: null,
      problem: problemOf(error),
      answer: null,
      retry_after: undefined,
    }))
    return { ...result, duration_ms: Math.round(performance.now() - began) }
  }
}

async function exchange(
  url: URL,
  headers: Record<string, string>,
  body: string,
  { rules, limit_ms, lookup }: { rules: AddressRules; limit_ms: number; lookup: Lookup },
): Promise<Omit<Answer, 'duration_ms'>> {
  const { protocol } = url
  // Node calls `lookup` for names only.
  const literal = literalAddress(url)
  if (literal !== null && !rules.mayCall(literal, protocol)) throw new ForbiddenAddress(protocol)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = (protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    // No shared connection, and no proxy from the environment.
    agent: false,
    lookup: checkedLookup(lookup, rules, protocol),
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Tillgate-Webhooks/1.0',
    },
  })
  const end = (error: Error): void => {
    reject(error)
    request.destroy(error)
  }
  let bodyTimer: NodeJS.Timeout | undefined
  const timer = setTimeout(() => end(new TimedOut(limit_ms)), limit_ms)
  try {
    let informational = 0
    request.on('information', () => {
      if (++informational > maxInformational) end(new TooManyInformational())
    })
    request.on('response', resolve)
    request.on('error', reject)
    // Without a listener Node closes the connection, and no event says so.
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      end(new Upgraded())
    })
    request.end(body)
    const response = await promise
    bodyTimer = setTimeout(() => response.destroy(), bodyTime)
    const { statusCode: status = 0 } = response
    return {
      status,
      problem: status >= 200 && status < 300 ? null : refusal(status),
      answer: await beginningOf(response),
      retry_after: response.headers['retry-after'],
    }
  } finally {
    clearTimeout(timer)
    clearTimeout(bodyTimer)
    request.destroy()
  }
}

/** The addresses of a name that may be called. The connection goes to one of them: there is no second look-up. */
const checkedLookup =
  (lookup: Lookup, rules: AddressRules, protocol: string): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '')
      const allowed = found.filter(({ address }) => rules.mayCall(address, protocol))
      const [first] = allowed
      if (!first) callback(new ForbiddenAddress(protocol), '')
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })

/** What arrived, also when the rest never does: the status has decided. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let read = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (read < maxKept) chunks.push(chunk)
      read += chunk.length
      if (read >= maxRead) break
    }
  } catch {
    // The receiver has closed the connection, or the time is over.
  }
  return Buffer.concat(chunks).subarray(0, maxKept).toString()
}

const refusal = (status: number): string =>
  status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`

class ForbiddenAddress extends Error {
  constructor(protocol: string) {
    super(
      protocol === 'https:'
        ? 'the address is not a public one, and TILLGATE_WEBHOOK_ALLOW does not name it'
        : 'http is allowed only for addresses that TILLGATE_WEBHOOK_ALLOW names',
    )
  }
}

class Upgraded extends Error {
  override message = 'HTTP 101: the protocol is not changed'
}

class TooManyInformational extends Error {
  override message = `more than ${maxInformational} informational responses (1xx)`
}

class TimedOut extends Error {
  constructor(limit_ms: number) {
    super(`no answer within ${limit_ms / 1000} s`)
  }
}

/** For the developer: no address, no query, nothing that the receiver has sent. */
function problemOf(error: unknown): string {
  if ([ForbiddenAddress, Upgraded, TooManyInformational, TimedOut].some(own => error instanceof own))
    return (error as Error).message
  const { code = '' } = error as { code?: string }
  if (code === '' || code.startsWith('HPE_')) return 'no valid HTTP answer'
  return problems[code] ?? (/CERT|SSL|TLS|SIGNED|ISSUER/.test(code) ? `TLS: ${code}` : code)
}

const problems: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  EPROTO: 'TLS: the port does not answer with TLS',
  ETIMEDOUT: 'the address cannot be reached',
}
