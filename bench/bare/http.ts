import { createServer } from 'node:http'

// The limit for answering: a body of the given size, from memory, with a length and a type; or 304 without one.
const [size = '0', status = '200'] = process.argv.slice(2)
const body = Buffer.alloc(Number(size), 'x')
const server = createServer((_request, response) => {
  if (status === '304') {
    response.writeHead(304, { etag: 'W/"1"' })
    response.end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
