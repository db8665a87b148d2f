import { connect } from 'node:tls'
import type { Config } from '../../config.ts'
import { localAddress, loopbackHosts } from '../../lib/address.ts'
import { type Check, messageOf, ok, problem, warning } from './check.ts'

/** Milliseconds that the public address may take to answer. */
const timeout = 5000
const day = 86_400_000
/** Error codes of a host that is unknown, refuses connections or does not answer. */
const unreachable = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/
/** Automatic renewal replaces a certificate earlier than this before its end. */
const renewalTime = 14 * day

/** Requests the public address as a client does, if this machine can reach it. */
export async function addressChecks(config: Config): Promise<Check[]> {
  const base = config.base_url ?? localAddress(config.host, config.port)
  const baseUrl = baseUrlCheck(config, base)
  const certificate = base.startsWith('https:') ? await certificateCheck(new URL(base)) : []
  return [baseUrl, ...certificate, ...(await serviceChecks(base, config))]
}

function baseUrlCheck({ base_url, host }: Config, base: string): Check {
  const { protocol, hostname } = new URL(base)
  const remedy = 'set TILLGATE_BASE_URL to the https address that apps use; it is the issuer of every token'
  if (base_url === null) {
    if (['127.0.0.1', 'localhost', '::1'].includes(host))
      return ok('base URL', `${base}, for this machine only`)
    return problem('base URL', `not set, so tokens are issued by ${base}`, remedy)
  }
  if (protocol === 'https:' || loopbackHosts.includes(hostname)) return ok('base URL', base)
  return problem('base URL', `${base} is not https: passwords and tokens are sent unencrypted`, remedy)
}

async function certificateCheck({ hostname, port }: URL): Promise<Check[]> {
  try {
    const ends = await certificateEnd(hostname, Number(port || 443))
    const days = Math.floor((ends - Date.now()) / day)
    const message = `the certificate is valid for ${days} more days`
    if (ends - Date.now() > renewalTime) return [ok('TLS', message)]
    return [warning('TLS', message, 'renew it, and find out why it was not renewed automatically')]
  } catch (error) {
    // serviceChecks reports an address that does not answer; that says nothing about its certificate.
    if (unreachable.test((error as NodeJS.ErrnoException).code ?? '')) return []
    const remedy =
      'give the proxy a certificate for this name, with its intermediate certificates, from an authority that clients trust'
    return [problem('TLS', messageOf(error), remedy)]
  }
}

/** When the certificate expires, in milliseconds; rejects when a client would not accept the certificate. */
function certificateEnd(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host.replace(/^\[|\]$/g, '') })
    socket.setTimeout(timeout, () =>
      socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    )
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate()
      socket.destroy()
      resolve(Date.parse(valid_to))
    })
  })
}

async function serviceChecks(base: string, { trust_proxy }: Config): Promise<Check[]> {
  let metadata: Response
  let issuer: unknown
  try {
    metadata = await ask(`${base}/.well-known/oauth-authorization-server`)
    issuer = ((await metadata.json()) as { issuer?: unknown }).issuer
  } catch (error) {
    const remedy =
      'start the server, or run doctor on a machine that can reach the address; look at the proxy’s log'
    return [warning('public address', `${base} did not answer as Tillgate: ${messageOf(error)}`, remedy)]
  }
  const secure = base.startsWith('https:')
  return [
    issuer === base
      ? ok('public address', `${base} answers, and is the issuer`)
      : problem(
          'public address',
          `${base} names ${String(issuer)} as its issuer`,
          'set the same TILLGATE_BASE_URL on every node',
        ),
    ...dateChecks(metadata),
    ...(await proxyChecks(base, secure, trust_proxy)),
  ]
}

function dateChecks({ headers }: Response): Check[] {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date)) return []
  // The header has whole seconds, and the response took some time to arrive.
  const seconds = Math.max(0, Math.abs(Date.now() - date) / 1000 - 1)
  const message = `the clock of the public address differs by ${seconds.toFixed(0)} s`
  if (seconds <= 2) return [ok('clock', message)]
  return [
    problem('clock', message, 'synchronize all nodes with NTP: tokens and rate limits depend on the time'),
  ]
}

/** Checks that a proxy in between passes on the headers that Tillgate needs. */
async function proxyChecks(base: string, secure: boolean, trust_proxy: string): Promise<Check[]> {
  const checks: Check[] = []
  const answer = await ask(`${base}/integration/v1/stores`, { headers: { authorization: 'Bearer doctor' } })
  const body = (await answer.json().catch(() => null)) as { status?: { errors?: { code?: string } } } | null
  const code = body?.status?.errors?.code
  if (code === 'token_invalid') checks.push(ok('proxy headers', 'Authorization arrives'))
  else {
    const message = `a request with a token was answered with ${answer.status} ${code ?? 'by another server'}, not 401 token_invalid`
    checks.push(
      problem(
        'proxy headers',
        message,
        'configure the proxy to pass on the Authorization header and the path unchanged',
      ),
    )
  }
  if (!answer.headers.has('x-request-id')) {
    checks.push(
      warning(
        'proxy headers',
        'the response has no X-Request-Id',
        'configure the proxy to pass it on: it identifies a request in the log',
      ),
    )
  }
  if (!secure) return checks
  if (!answer.headers.has('strict-transport-security')) {
    checks.push(
      warning(
        'proxy headers',
        'the response has no Strict-Transport-Security',
        'configure the proxy to pass it on',
      ),
    )
  }
  if (trust_proxy === '') {
    const message =
      'TILLGATE_TRUST_PROXY is not set: all clients appear to have the proxy’s address, and share one limit on failed sign-ins'
    checks.push(
      warning(
        'proxy headers',
        message,
        'set it to the address of the proxy, and configure the proxy to set X-Forwarded-For',
      ),
    )
  }
  return checks
}

const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout), ...init })
