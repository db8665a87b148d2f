/** The address of a schema of the API reference. A schema with an `$id` is a component of that name. */
export const schemaReference = (name: string): string => `#/components/schemas/${name}`
