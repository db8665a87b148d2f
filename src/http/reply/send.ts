import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { ApiError } from '../../errors.ts'
import { release } from '../../lib/release.ts'
import { coders, type Coding, codingFor } from './content-coding.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** To be called by whoever writes an answer past Fastify. */
    answering(reply: FastifyReply): void
  }
}

/** What is smaller would hardly get smaller. */
const worthCoding = 1024

/** What takes longer than some 50 µs to compress is left to another thread. */
const quick = 16 * 1024

/**
 * Writes 200 with a body of these parts. Past Fastify, which takes one buffer or a stream: no part is copied into
 * another, they all go to the socket in one call, and their memory is given back when they are out.
 */
export async function sendWhole(reply: FastifyReply, parts: readonly Uint8Array[]): Promise<FastifyReply> {
  const length = lengthOf(parts)
  const coding = length < worthCoding ? null : codingFor(reply.request.headers['accept-encoding'])
  if (coding === null) return writeWhole(reply, parts, length, null)
  if (reply.request.method === 'HEAD') return writeHead(reply, coding)
  const plain = Buffer.concat(parts, length)
  parts.forEach(release)
  const coder = coders[coding]
  const isThere = () => !reply.raw.destroyed
  const coded = length <= quick ? [coder.small(plain)] : await coder.whole(plain, isThere)
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
  raw.cork()
  for (const part of parts) raw.write(part)
  raw.end(() => parts.forEach(release))
  return reply
}

/**
 * Writes 200 with a body that comes piece by piece, each when its reader has taken the one before. Where it cannot go
 * on, the connection is cut: what has left so far must not look like an answer.
 */
export function sendPieces(reply: FastifyReply, pieces: AsyncIterable<Uint8Array[]>): FastifyReply {
  const { raw } = reply
  const coding = codingFor(reply.request.headers['accept-encoding'])
  if (reply.request.method === 'HEAD') return writeHead(reply, coding)
  begin(reply, coding)
  writePieces(raw, coding ? coded(pieces, coders[coding].stream()) : pieces).catch(error => {
    // A reader whose access was revoked meanwhile is no fault of ours.
    if (!(error instanceof ApiError))
      reply.log.error({ err: error }, 'request failed in the middle of its answer')
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

/** Writes the parts and resolves when the system has taken them; to false when the connection is gone. */
function taken(raw: ServerResponse, parts: readonly Uint8Array[]): Promise<boolean> {
  return new Promise(resolve => {
    if (raw.destroyed) return resolve(false)
    const gone = () => resolve(false)
    raw.once('close', gone)
    // The socket itself: a response that is corked alone would send a chunk's length, its bytes and its end apart.
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

/** The pieces compressed as one stream, which asks for the next one when its bytes have been taken. */
async function* coded(pieces: AsyncIterable<Uint8Array[]>, stream: Transform): AsyncGenerator<Uint8Array[]> {
  const fed = feed(stream, pieces).catch(error => stream.destroy(error))
  for await (const bytes of stream) yield [bytes as Uint8Array]
  await fed
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

/** Answers HEAD: the length is told where it is known. */
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
