import type { FastifyInstance } from 'fastify'

/** Every path the server has, as its own router prints it: a new route cannot hide from the tests that use this. */
export function routesOf(app: FastifyInstance): string[] {
  const urls: string[] = []
  const parents: string[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part] = /^(.*?)(?:├──|└──) (\S+) \(/.exec(line) ?? []
    if (indent === undefined || part === undefined) continue
    const depth = indent.length / 4
    parents.length = depth
    const url = (parents.at(-1) ?? '') + part
    parents.push(url)
    urls.push(url)
  }
  return urls.sort()
}
