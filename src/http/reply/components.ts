/**
 * References to shared headers and responses in the API reference. @fastify/swagger makes references of schemas alone:
 * here the description of an object is the address of the component that replaces it.
 */

type Kind = 'headers' | 'responses'

export const insteadOf = (kind: Kind, name: string): { description: string } => ({
  description: `#/components/${kind}/${name}`,
})

/** Puts the references into the finished document. */
export function insertReferences<T extends object>(document: T): T {
  const text = JSON.stringify(document)
  return JSON.parse(text, (_key, value) =>
    value?.description?.startsWith?.('#/components/') ? { $ref: value.description } : value,
  )
}
