import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ErrorCode } from '../../src/errors.ts'
import type { TestServer } from './server.ts'

interface Operation {
  method: string
  path: string
  operation: any
}

/** The OpenAPI document of a server, as its tests read it. */
export interface ApiDocument {
  document: any
  operations: Operation[]
  /** What a reference leads to; anything else as it is. */
  follow(node: any): any
  /** The validator of a schema in the document. */
  compile(schema: any): ReturnType<Ajv2020['compile']>
}

export async function readDocument(server: TestServer): Promise<ApiDocument> {
  const document = (await server.get('/openapi.json')).json
  // Strict: it refuses formats and keywords that it does not know.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
  ajv.addVocabulary(['example', 'discriminator', 'xml', 'externalDocs'])
  addFormats.default(ajv)
  for (const [name, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(byName(schema), name)
  return {
    document,
    operations: Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
    ),
    follow: node =>
      typeof node?.$ref === 'string'
        ? node.$ref
            .slice('#/'.length)
            .split('/')
            .reduce((at: any, step: string) => at?.[step], document)
        : node,
    compile: schema => ajv.compile<any>(byName(schema)),
  }
}

/** The schema with references to others by their names alone. */
const byName = (schema: any) =>
  JSON.parse(JSON.stringify(schema), (key, value) => (key === '$ref' ? value.split('/').at(-1) : value))

/** The codes that the description of an error response lists. */
export const codesIn = (description: string): ErrorCode[] =>
  [...description.matchAll(/^- `(\w+)`: /gm)].map(([, code]) => code as ErrorCode)

/** What a validator found, as text. */
export const errorsOf = (validate: ReturnType<Ajv2020['compile']>): string =>
  (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
