/** `X-Sandbox-Fault`: its values, where it has an effect, and its parameter in the API reference. */

export const faultHeader = 'X-Sandbox-Fault'
export const faults = ['429', '503', 'timeout', 'cut'] as const
export type Fault = (typeof faults)[number]

export const tokenPath = '/auth/v2/token'

export const hasFaults = (url: string): boolean => url === tokenPath || url.startsWith('/integration/')

const parameter = {
  type: 'string',
  enum: faults,
  description:
    'Makes this request fail, to test retries: `429` and `503` with `Retry-After`, `timeout` with no answer for a ' +
    'minute, `cut` with half of the answer. Only on a sandbox server, as this one is',
}

/** The schema of a route with the header, where it has an effect. */
export function withFaultHeader<Schema extends { headers?: unknown }>(schema: Schema, url: string): Schema {
  if (!hasFaults(url)) return schema
  const { properties = {}, ...rest } = (schema.headers ?? { type: 'object' }) as { properties?: object }
  return { ...schema, headers: { ...rest, properties: { ...properties, [faultHeader]: parameter } } }
}
