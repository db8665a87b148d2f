import type { FastifyServerOptions } from 'fastify'

/**
 * Schemas only document: plugins that validate set their own compiler, and replies are already serialized. As an option
 * of Fastify and not a call of its setters, this also saves loading Ajv and fast-json-stringify, about 110 modules.
 */
export const withoutCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    // The type asks for a function that Ajv compiled.
    buildValidator: () => (() => () => true) as never,
    buildSerializer: () => () => data => JSON.stringify(data),
  },
}
