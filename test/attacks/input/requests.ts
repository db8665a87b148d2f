import fc from 'fast-check'
import { type Body, bodyArbitrary, formBody } from './bodies.ts'
import { encodings, hostileText } from './hostile.ts'

/**
 * Requests made from the OpenAPI document and the list of pages: as the grammar says in most places, and anything else
 * in the others. The same seed makes the same requests.
 */

export interface Made {
  method: string
  /** The request line's target, as it goes out. */
  target: string
  headers: [name: string, value: string][]
  body: Buffer | null
}

/** What requests may name and bring: values that work, so that they get past the first check. */
export interface Vocabulary {
  openapi: { paths: Record<string, Record<string, Operation>> }
  /** Pages, by the path in the router's own notation. */
  pages: readonly string[]
  /** Values by the name of a parameter: own, foreign and unknown ones. */
  values: Record<string, readonly string[]>
  /** Values of the Authorization header and of Cookie, with the CSRF token that goes with the latter. */
  authorizations: readonly string[]
  sessions: readonly Session[]
  operator: Session
}

interface Session {
  cookie: string
  csrf: string
}

interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: Schema & { properties?: Record<string, Schema> } }> }
}

interface Schema {
  type?: string
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
}

/** A request before it is written down. */
interface Parts {
  method: string
  path: string
  query: string[]
  body: Body | null
  authorization: string | null
  session: Session | null
}

/** Form and query fields that pages read; what they mean is theirs to say. */
const pageFields = [
  'email',
  'password',
  'next',
  'decision',
  'store',
  'store_search',
  'after',
  'before',
  'name',
  'redirect_uris',
  'scope',
  'public',
  'website',
  'publisher',
  'sign_up',
  'apps',
  'q',
  'page',
  'period',
  'app',
  'action',
  'done',
  'endpoint',
  'errors',
  'request_id',
  'store_id',
  'v',
  'zone',
  'from',
  'to',
  'reason',
  'search',
]

export function requestArbitrary(words: Vocabulary): fc.Arbitrary<Made> {
  const operations = Object.entries(words.openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const valueOf = (name: string, schema: Schema = {}, example?: unknown): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 5, arbitrary: fittingValue(words, name, schema, example) },
      { weight: 2, arbitrary: hostileText },
    )

  const api = operations.map(({ path, method, operation }) => {
    const parameters = operation.parameters ?? []
    const pathValues = parameters.filter(one => one.in === 'path').map(one => valueOf(one.name, one.schema))
    const query = parameters
      .filter(one => one.in === 'query')
      .map(({ name, schema, example, required }) =>
        field(name, valueOf(name, schema, example), required ?? false),
      )
    return fc.record<Parts>({
      method: methodNear(method),
      path: fc.tuple(...pathValues).map(values => fillPath(path, /\{\w+\}/g, values)),
      query: fc.tuple(...query).map(fields => fields.flat()),
      body: bodyArbitrary(
        Object.keys(operation.requestBody?.content ?? {}),
        formFields(operation, valueOf),
        words.values['records_store'] ?? [],
      ),
      authorization: fc.option(fc.constantFrom(...words.authorizations), { freq: 8 }),
      session: fc.constant(null),
    })
  })

  const sessions = fc.constantFrom(...words.sessions, null)
  const unknown = fc.oneof(hostileText, fc.constant('AAAAAAAAAAAAAAAAAAAAAA'))
  const fields = fc
    .array(fc.oneof(...pageFields.map(name => field(name, valueOf(name), true))), { maxLength: 6 })
    .map(all => all.flat())
  const pages = words.pages.flatMap(path => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => valueOf(name ?? ''))
    const fill = (values: readonly string[]) => fillPath(path, /:\w+/g, values)
    const filled = fc.tuple(...names).map(fill)
    const seen = fc.record<Parts>({
      method: methodNear('GET'),
      path: filled,
      query: fields,
      body: fc.constant(null),
      authorization: fc.constant(null),
      session: fc.constantFrom(...words.sessions, words.operator, null),
    })
    const token = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileText })
    // An operator may do everything, so these requests name nothing that exists.
    const isOperators = path.startsWith('/operator')
    const about = isOperators ? fc.tuple(...names.map(() => unknown)).map(fill) : filled
    const sender = isOperators ? fc.constant(words.operator) : sessions
    const sent = fc.tuple(about, fields, sender, token).map(([path, fields, session, token]): Parts => {
      const csrf = encodeURIComponent((token ?? session?.csrf ?? '').toWellFormed())
      const body = formBody([`_csrf=${csrf}`, ...fields])
      return { method: 'POST', path, query: [], body, authorization: null, session }
    })
    return [seen, seen, sent]
  })

  return fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: fc.oneof(...api) }, { weight: 2, arbitrary: fc.oneof(...pages) }),
      pathTwist,
      fc.array(extraHeader, { maxLength: 2 }),
    )
    .map(([{ method, path, query, body, authorization, session }, twist, extra]) => ({
      method,
      target: `${twist(path)}${query.length > 0 ? `?${query.join('&')}` : ''}`.slice(0, 12_000),
      headers: [
        ...(authorization === null ? [] : [['authorization', authorization] as [string, string]]),
        ...(session === null ? [] : [['cookie', session.cookie] as [string, string]]),
        ...(body === null ? [] : body.headers),
        ...extra,
      ],
      body: body?.bytes ?? null,
    }))
}

/** The fields of an operation's form, if that is what it takes. */
function formFields(
  { requestBody }: Operation,
  valueOf: (name: string, schema: Schema) => fc.Arbitrary<string>,
): fc.Arbitrary<string[]> {
  const { properties = {} } = requestBody?.content['application/x-www-form-urlencoded']?.schema ?? {}
  const fields = Object.entries(properties).map(([name, schema]) => field(name, valueOf(name, schema), false))
  return fc.tuple(...fields).map(all => all.flat())
}

/** A value that the schema allows, or one that is known to exist. */
function fittingValue(
  { values }: Vocabulary,
  name: string,
  schema: Schema,
  example: unknown,
): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String))
  const known = values[name]
  if (known) return fc.constantFrom(...known)
  if (schema.pattern?.includes(' ')) {
    return fc
      .integer({ min: 1_793_400_000, max: 1_793_660_000 })
      .map(seconds => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' '))
  }
  if (schema.format === 'date') {
    return fc
      .integer({ min: 20_750, max: 20_760 })
      .map(day => new Date(day * 86_400_000).toISOString().slice(0, 10))
  }
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 5000, 5000) }).map(String)
  return example === undefined ? hostileText : fc.constant(String(example))
}

/** Once as a rule; else left out, repeated, or by a name that is nearly right. */
function field(name: string, value: fc.Arbitrary<string>, required: boolean): fc.Arbitrary<string[]> {
  const once = fc
    .tuple(value, fc.constantFrom(...encodings))
    .map(([text, encode]) => `${name}=${encode(text)}`)
  return fc.oneof(
    { weight: required ? 12 : 6, arbitrary: once.map(one => [one]) },
    { weight: required ? 1 : 6, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.tuple(once, once).map(both => [...both]) },
    { weight: 1, arbitrary: fc.tuple(once, nameEnds).map(([one, end]) => [one.replace('=', end)]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<string[][]>([name], [`${name}=`], [`=${name}`], [`${name.toUpperCase()}=1`]),
    },
  )
}

const nameEnds = fc.constantFrom('[]=', '[__proto__]=', '%00=', '.x=', '==', '%5B0%5D=')

const methodNear = (method: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(method) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
      ),
    },
  )

const fillPath = (path: string, holes: RegExp, values: readonly string[]): string => {
  let next = 0
  // As a client writes it; the twists come after.
  return path.replaceAll(holes, () => encodings[0]?.(values[next++] ?? '').slice(0, 400) ?? '')
}

/** The path as it is, mostly. */
const pathTwist: fc.Arbitrary<(path: string) => string> = fc.oneof(
  { weight: 20, arbitrary: fc.constant((path: string) => path) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<(path: string) => string>(
      path => `${path}/`,
      path => path.toUpperCase(),
      path => path.replace('/', '//'),
      path => path.replaceAll('/', '%2f'),
      path => `/.${path}`,
      path => `/x/..${path}`,
      path => `/%2e%2e${path}`,
      path => `${path};x=y`,
      path => `${path}%00`,
      path => path.replace(/[a-z](?=[^/]*$)/, letter => `%${letter.charCodeAt(0).toString(16)}`),
      path => path.replace(/[a-z]/, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
      path => `${path}%zz`,
      path => `${path}/../../health/live`,
      path => `http://elsewhere.example${path}`,
      path => `${path}#fragment`,
      path => path.replace(/v\d/, 'v9'),
    ),
  },
)

const headerText = hostileText.map(text =>
  text
    .replaceAll(/[^\x20-\x7e\x80-\xff]/g, '')
    .trim()
    .slice(0, 500),
)

const textHeaders = [
  'accept',
  'accept-language',
  'if-none-match',
  'range',
  'origin',
  'referer',
  'user-agent',
  'te',
  'prefer',
  'x-http-method-override',
  'authorization',
  'cookie',
  'content-type',
]

const extraHeader: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(fc.constantFrom(...textHeaders), headerText),
  fc.constantFrom<[string, string][]>(
    ['host', 'evil.example'],
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-proto', 'javascript'],
    ['x-forwarded-for', '"><script>, ::1'],
    ['forwarded', 'for=evil;host=evil.example'],
    ['accept', 'text/html'],
    ['accept-encoding', 'gzip;q=x'],
    ['content-encoding', 'gzip'],
    ['content-type', 'application/json; charset=utf-7'],
    ['if-none-match', 'W/"1-AAAAAAAAAAA", *'],
    ['cookie', '__proto__=x; tillgate_session=%00; =;;'],
    ['expect', 'a-miracle'],
    ['x-request-id', 'mine'],
  ),
)
