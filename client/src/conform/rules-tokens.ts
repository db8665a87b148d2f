import type { ConformContext, Json } from './context.ts'
import { Skipped } from './outcomes.ts'
import { judge, judgeEnvelope, needStore, type Requests, type Rule, rule, shown, statuses } from './rule.ts'

/** Section 5: who may send a request, and how tokens are given. */

const onEach = (
  context: ConformContext,
  token: string | null,
  headers: Record<string, string> = {},
): Requests => {
  const requests: Requests = {}
  for (const { name } of context.lists) requests[name] = () => context.list(name, {}, { token, headers })
  return requests
}

/** The header `{"alg":"none"}`. */
const algNone = 'eyJhbGciOiJub25lIn0'

/** A token that anyone can make from the parts of a valid one. */
const forged = (id: string, expected: string, forge: (parts: string[]) => string): Rule =>
  rule('5', `bearer.${id}`, expected, async context => {
    const parts = (await context.token()).split('.')
    if (parts.length !== 3) throw new Skipped('the access token is not in the form of a JWT')
    return statuses([401], onEach(context, forge(parts)))
  })

/** The token of one scope reads its own lists, and gets 403 from the others. */
const scopeRule = (scope: string): Rule =>
  rule(
    '5.1',
    `scope.${scope.split('.')[1]}`,
    `${scope} opens its own lists; the others are 403`,
    async context => {
      needStore(context)
      context.needScope(scope)
      const token = await context.token(scope)
      const seen: string[] = []
      for (const { name, scope: needed } of context.lists) {
        const answer = await context.list(name, {}, { token })
        judge(answer.status === (needed === scope ? 200 : 403), `${name}: ${shown(answer)}`)
        judgeEnvelope(answer)
        seen.push(`${name} ${answer.status}`)
      }
      return seen.join(', ')
    },
  )

const tokenRule = (
  id: string,
  expected: string,
  holds: (body: Json) => boolean,
  show: (body: Json) => unknown,
): Rule =>
  rule('5.3', `token.${id}`, expected, async context => {
    const { json } = await context.tokenAnswer({})
    return judge(typeof json === 'object' && json !== null && holds(json), String(show(json ?? {})))
  })

const refused = (id: string, expected: string, form: Record<string, string | undefined>): Rule =>
  rule('5.3', `token.${id}`, expected, async context => {
    const answer = await context.tokenAnswer(form)
    const isRefused = answer.status >= 400 && answer.status < 500 && answer.json?.access_token === undefined
    return judge(isRefused, shown({ ...answer, text: isRefused ? answer.text : 'a token' }))
  })

/** The specification leaves open what a refusal looks like, but the browser must not go to an address nobody registered. */
const staysHere = (
  id: string,
  expected: string,
  query: (context: ConformContext) => Record<string, string>,
): Rule =>
  rule('5.2', `authorize.${id}`, expected, async context => {
    const answer = await context.send('/auth/v2/authorize', {
      token: null,
      query: {
        response_type: 'code',
        client_id: context.clientId,
        scope: 'integration.store',
        redirect_uri: 'https://conform.invalid/callback',
        ...query(context),
      },
    })
    const location = answer.headers.get('location') ?? ''
    return judge(
      !location.startsWith('https://conform.invalid') && answer.status < 500,
      `${answer.status} ${location}`,
    )
  })

export const tokenRules: Rule[] = [
  rule('5', 'bearer.missing', '401 without a token', context => statuses([401], onEach(context, null))),
  rule('5', 'bearer.invalid', '401 for a token that the server did not issue', context =>
    statuses([401], onEach(context, `${algNone}.e30.`)),
  ),
  rule('5', 'bearer.changed', '401 for a token whose signature was changed', async context => {
    const token = await context.token()
    const at = token.length - 10
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    return statuses([401], onEach(context, changed))
  }),
  forged('none', '401 for the claims of a token under alg none', ([, claims]) => `${algNone}.${claims}.`),
  forged('unsigned', '401 for a token without its signature', ([head, claims]) => `${head}.${claims}.`),
  rule('5', 'bearer.scheme', '401 for another scheme than Bearer', async context =>
    statuses([401], onEach(context, null, { authorization: `Basic ${await context.token()}` })),
  ),
  rule('4.2', 'activate.token', '401 for an activation without a token', context => {
    const path = `/integration/v1/store/${String(context.storeId ?? 1)}/activate`
    return statuses([401], { activate: () => context.send(path, { method: 'POST', token: null }) })
  }),
  scopeRule('integration.store'),
  scopeRule('integration.order'),
  scopeRule('integration.inventory'),
  tokenRule(
    'form',
    'access_token is in the form of a JWT',
    body => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(body.access_token)),
    body =>
      String(body.access_token)
        .split('.')
        .map(part => `${part.length} characters`)
        .join(' . '),
  ),
  tokenRule(
    'type',
    'token_type is Bearer',
    body => body.token_type === 'Bearer',
    body => body.token_type,
  ),
  tokenRule(
    'lifetime',
    'expires_in is 172800',
    body => body.expires_in === 172_800,
    body => body.expires_in,
  ),
  tokenRule(
    'scope',
    'scope is a list of scopes',
    body => typeof body.scope === 'string' && /^\S+( \S+)*$/.test(body.scope),
    body => body.scope,
  ),
  tokenRule(
    'bare',
    'the answer is not in the envelope',
    body => body.status === undefined && body.data === undefined,
    body => Object.keys(body),
  ),
  rule('5.3', 'token.cache', 'Cache-Control: no-store (RFC 6749 5.1)', async context => {
    const { headers } = await context.tokenAnswer({})
    const value = headers.get('cache-control') ?? 'no header'
    return judge(/\bno-store\b/i.test(value), value)
  }),
  rule('5.3', 'token.narrow', 'a token gets the scope that was asked for, and no more', async context => {
    const [scope] = context.scopes
    if (scope === undefined) throw new Skipped('the app has no integration scope')
    const { json } = await context.tokenAnswer({ scope })
    return judge(json?.scope === scope, String(json?.scope))
  }),
  rule('5.3', 'token.secret', '401 for an incorrect secret', async context => {
    const answer = await context.tokenAnswer({ client_secret: 'not-the-secret' })
    return judge(answer.status === 401, shown(answer))
  }),
  refused('grant', 'no token for an unknown grant_type', { grant_type: 'password' }),
  refused('no-grant', 'no token without grant_type', { grant_type: undefined }),
  refused('code', 'no token for a code that was not issued', {
    grant_type: 'authorization_code',
    code: 'conform',
    redirect_uri: 'https://conform.invalid/callback',
  }),
  refused('refresh', 'no token for a refresh token that was not issued', {
    grant_type: 'refresh_token',
    refresh_token: 'conform',
  }),
  staysHere('redirect', 'no redirect to an address that is not registered', () => ({})),
  staysHere('client', 'no redirect for an unknown client', () => ({ client_id: 'conform-unknown' })),
  rule('5.2', 'authorize.response-type', 'only response_type=code is accepted', async context => {
    const query = { response_type: 'token', client_id: context.clientId, scope: 'integration.store' }
    const answer = await context.send('/auth/v2/authorize', { token: null, query })
    const location = answer.headers.get('location') ?? ''
    const isRefused = (answer.status >= 400 && answer.status < 500) || /[?&#]error=/.test(location)
    return judge(isRefused && !/access_token=/.test(location), `${answer.status} ${location}`)
  }),
]
