import { connect } from 'node:tls'
import type { Config } from '../../config.ts'
import { localAddress } from '../../lib/address.ts'
import { type Check, messageOf, ok, problem, warning } from './check.ts'

const patience = 5000
const day = 86_400_000
/** Codes of a host that is not known, not there, or does not speak. */
const unreachable = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/
/** A certificate that renews itself has done so by then. */
const renewalTime = 14 * day

/** What a client meets: asked at the public address, as far as it can be reached from here. */
export async function addressChecks(config: Config): Promise<Check[]> {
  const base = config.base_url ?? localAddress(config.host, config.port)
  const set = baseUrlCheck(config, base)
  const certificate = base.startsWith('https:') ? await certificateCheck(new URL(base)) : []
  return [set, ...certificate, ...(await serviceChecks(base, config))]
}

function baseUrlCheck({ base_url, host }: Config, base: string): Check {
  const { protocol, hostname } = new URL(base)
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  const mend = 'set TILLGATE_BASE_URL to the https address that apps use; it is the issuer of every token'
  if (base_url === null) {
    if (['127.0.0.1', 'localhost', '::1'].includes(host))
      return ok('base URL', `${base}, for this machine alone`)
    return problem('base URL', `not set, so tokens are issued by ${base}`, mend)
  }
  if (protocol === 'https:' || local) return ok('base URL', base)
  return problem('base URL', `${base} is not https: passwords and tokens travel in the clear`, mend)
}

async function certificateCheck({ hostname, port }: URL): Promise<Check[]> {
  try {
    const ends = await certificateEnd(hostname, Number(port || 443))
    const days = Math.floor((ends - Date.now()) / day)
    const says = `the certificate is good for ${days} more days`
    if (ends - Date.now() > renewalTime) return [ok('TLS', says)]
    return [warning('TLS', says, 'renew it, and see why it was not renewed by itself')]
  } catch (error) {
    // Nobody there is told below, and says nothing of certificates.
    if (unreachable.test((error as NodeJS.ErrnoException).code ?? '')) return []
    const mend =
      'give the proxy a certificate for this name, with its intermediate certificates, from an authority that clients trust'
    return [problem('TLS', messageOf(error), mend)]
  }
}

/** When the certificate ends, in milliseconds; rejects when a client would not accept it. */
function certificateEnd(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host.replace(/^\[|\]$/g, '') })
    socket.setTimeout(patience, () =>
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
    const mend =
      'start the server, or run doctor where the address can be reached; look at the proxy’s own log'
    return [warning('public address', `${base} did not answer as Tillgate does: ${messageOf(error)}`, mend)]
  }
  const secure = base.startsWith('https:')
  return [
    issuer === base
      ? ok('public address', `${base} answers, and is the issuer`)
      : problem(
          'public address',
          `${base} says that its issuer is ${String(issuer)}`,
          'set the same TILLGATE_BASE_URL on every node',
        ),
    ...dateChecks(metadata),
    ...(await proxyChecks(base, secure, trust_proxy)),
  ]
}

function dateChecks({ headers }: Response): Check[] {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date)) return []
  // A header of whole seconds, and the way here.
  const seconds = Math.max(0, Math.abs(Date.now() - date) / 1000 - 1)
  const says = `that of the public address differs by ${seconds.toFixed(0)} s`
  if (seconds <= 2) return [ok('clock', says)]
  return [problem('clock', says, 'keep all nodes in step with NTP: tokens and throttles go by it')]
}

/** Whether what stands between passes on what it must. */
async function proxyChecks(base: string, secure: boolean, trust_proxy: string): Promise<Check[]> {
  const checks: Check[] = []
  const answer = await ask(`${base}/integration/v1/stores`, { headers: { authorization: 'Bearer doctor' } })
  const body = (await answer.json().catch(() => null)) as { status?: { errors?: { code?: string } } } | null
  const code = body?.status?.errors?.code
  if (code === 'token_invalid') checks.push(ok('proxy headers', 'Authorization arrives'))
  else {
    const says = `a request with a token was answered ${answer.status} ${code ?? 'by something else'}, not 401 token_invalid`
    checks.push(
      problem('proxy headers', says, 'let the proxy pass the Authorization header and the path as they are'),
    )
  }
  if (!answer.headers.has('x-request-id')) {
    checks.push(
      warning(
        'proxy headers',
        'X-Request-Id does not come back',
        'let the proxy pass it on: support asks for it',
      ),
    )
  }
  if (!secure) return checks
  if (!answer.headers.has('strict-transport-security')) {
    checks.push(
      warning('proxy headers', 'Strict-Transport-Security does not come back', 'let the proxy pass it on'),
    )
  }
  if (trust_proxy === '') {
    const says = 'TILLGATE_TRUST_PROXY is not set: all clients look like the proxy, and share its throttle'
    checks.push(
      warning(
        'proxy headers',
        says,
        'set it to the address of the proxy, and let the proxy set X-Forwarded-For',
      ),
    )
  }
  return checks
}

const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patience), ...init })
