import { readFileSync } from 'node:fs'
import compress from '@fastify/compress'
import Fastify from 'fastify'

// The common set-up: Fastify with @fastify/compress and its defaults, sending a page from memory.
const page = readFileSync(process.argv[2] ?? '')
const app = Fastify()
await app.register(compress)
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(page))
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.((app.server.address() as { port: number }).port)
