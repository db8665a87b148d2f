import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isStorageFault } from '../../domain/storage-fault.ts'
import { ApiError } from '../../errors.ts'
import { release } from '../../lib/release.ts'
import { coders, type Coding, codingFor } from './content-coding.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Called before an answer is written directly to the socket, without Fastify. */
    answering(reply: FastifyReply): void
  }
}

/** Bytes from which compression saves anything worth while. */
const compressFrom = 1024

/** Bytes up to which compression takes less than about 50 µs; larger bodies go to another thread. */
const compressInline = 16 * 1024

/** Bytes up to which a body goes as a string: Node sends that in one piece with the headers, 7 % faster for 200 bytes. */
const sendAsText = 4 * 1024

/**
 * Writes 200 with a body of these parts, without Fastify, which takes one buffer or a stream: no part of a large body
 * is copied, all go to the socket in one call, and their memory is released when they are sent.
 */
export async function sendWhole(reply: FastifyReply, parts: readonly Uint8Array[]): Promise<FastifyReply> {
  const length = lengthOf(parts)
  const coding = length < compressFrom ? null : codingFor(reply.request.headers['accept-encoding'])
  if (coding === null) return writeWhole(reply, parts, length, null)
  if (reply.request.method === 'HEAD') return writeHead(reply, coding)
  const plain = Buffer.concat(parts, length)
  parts.forEach(release)
  const coder = coders[coding]
  const isConnected = () => !reply.raw.destroyed
  const coded = length <= compressInline ? [coder.small(plain)] : await coder.whole(plain, isConnected)
  release(plain)
  return writeWhole(reply, coded, lengthOf(coded), coding)
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0)

function writeWhole(
  reply: FastifyReply,
  parts: readonly Uint8Array[],
  length: number,
  coding: Coding | null,
): FastifyReply {
  const { raw } = reply
  const headers = { 'content-length': length }
  if (reply.request.method === 'HEAD') return writeHead(reply, coding, headers)
  begin(reply, coding, headers)
  if (length <= sendAsText) {
    // Each character of latin1 is one byte, so that UTF-8 arrives unchanged.
    raw.end(Buffer.concat(parts, length).toString('latin1'), 'latin1')
    parts.forEach(release)
    return reply
  }
  raw.cork()
  for (const part of parts) raw.write(part)
  raw.end(() => parts.forEach(release))
  return reply
}

/**
 * Writes 200 with a body in pieces, each after the client has taken the one before. When a piece cannot be read, the
 * connection is cut: a part of a page must not look like the whole.
 */
export function sendPieces(reply: FastifyReply, pieces: AsyncIterable<Uint8Array[]>): FastifyReply {
  const { raw } = reply
  const coding = codingFor(reply.request.headers['accept-encoding'])
  if (reply.request.method === 'HEAD') return writeHead(reply, coding)
  begin(reply, coding)
  writePieces(raw, coding ? coded(pieces, coders[coding].stream()) : pieces).catch(error => {
    // A client whose access was revoked meanwhile is no server error.
    if (isStorageFault(error)) reply.server.outages.failed(error, reply.request.id)
    else if (!(error instanceof ApiError))
      reply.log.error({ err: error }, 'request failed while its response was being sent')
    raw.destroy()
  })
  return reply
}

async function writePieces(raw: ServerResponse, pieces: AsyncIterable<Uint8Array[]>): Promise<void> {
  for await (const parts of pieces) {
    if (!(await taken(raw, parts))) return
    parts.forEach(release)
  }
  raw.end()
}

/** Writes the parts and resolves when the system has taken them; with false when the connection has ended. */
function taken(raw: ServerResponse, parts: readonly Uint8Array[]): Promise<boolean> {
  return new Promise(resolve => {
    if (raw.destroyed) return resolve(false)
    const gone = () => resolve(false)
    raw.once('close', gone)
    // The socket too: with only the response corked, Node sends a chunk's length, bytes and end separately.
    raw.socket?.cork()
    raw.cork()
    for (const part of parts.slice(0, -1)) raw.write(part)
    raw.write(parts.at(-1), error => {
      raw.off('close', gone)
      resolve(!error)
    })
    raw.uncork()
    raw.socket?.uncork()
  })
}

/** The pieces compressed as one stream, which reads the next piece after its bytes were taken. */
async function* coded(pieces: AsyncIterable<Uint8Array[]>, stream: Transform): AsyncGenerator<Uint8Array[]> {
  const feeding = feed(stream, pieces).catch(error => stream.destroy(error))
  for await (const bytes of stream) yield [bytes as Uint8Array]
  await feeding
}

async function feed(stream: Transform, pieces: AsyncIterable<Uint8Array[]>): Promise<void> {
  for await (const parts of pieces) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    stream.write(Buffer.concat(parts), error => (error ? reject(error) : resolve()))
    parts.forEach(release)
    await promise
  }
  stream.end()
}

/** Answers HEAD, with the length when it is known. */
function writeHead(reply: FastifyReply, coding: Coding | null, headers?: OutgoingHttpHeaders): FastifyReply {
  begin(reply, coding, headers)
  reply.raw.end()
  return reply
}

function begin(reply: FastifyReply, coding: Coding | null, more: OutgoingHttpHeaders = {}): void {
  reply.server.answering(reply)
  reply.hijack()
  const headers: OutgoingHttpHeaders = { ...(reply.getHeaders() as OutgoingHttpHeaders), ...more }
  if (coding !== null) headers['content-encoding'] = coding
  reply.raw.writeHead(200, headers)
}
