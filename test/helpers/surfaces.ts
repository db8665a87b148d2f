import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { catalogue } from '../../src/errors.ts'

/** The three formats that errors come in, by path. */
export type Surface = 'envelope' | 'oauth' | 'page'

interface ErrorAnswer {
  status: number
  headers: Headers | IncomingHttpHeaders
  text: string
}

export const header = ({ headers }: Pick<ErrorAnswer, 'headers'>, name: string): string | null =>
  headers instanceof Headers ? headers.get(name) : (headers[name]?.toString() ?? null)

/** Fails unless the answer is an error with this status, wholly in the surface's format, with a request id. */
export function assertError(surface: Surface, answer: ErrorAnswer, status: number, code?: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(header(answer, 'x-request-id') ?? '', /^[\w-]{22}$/)
  if (surface === 'page') {
    assert.match(header(answer, 'content-type') ?? '', /^text\/html; charset=utf-8$/)
    assert.match(answer.text, /^<!doctype html>.*<h1>/s)
    return
  }
  assert.match(header(answer, 'content-type') ?? '', /^application\/json; charset=utf-8$/)
  const body = JSON.parse(answer.text)
  if (surface === 'oauth') {
    // RFC 6749 §5.2
    assert.deepEqual(Object.keys(body).slice(0, 2), ['error', 'error_description'])
    if (code !== undefined) assert.equal(body.error, code)
    assert.equal(header(answer, 'cache-control'), 'no-store')
    return
  }
  assert.deepEqual(Object.keys(body), ['status', 'data'])
  assert.deepEqual(Object.keys(body.status), ['timestamp', 'ack', 'errors'])
  assert.equal(body.status.ack, status, 'spec 7: status.ack is the HTTP status')
  assert.ok(Number.isInteger(body.status.timestamp))
  assert.equal(body.data, null)
  assert.deepEqual(Object.keys(body.status.errors), ['code', 'message', 'details'])
  assert.equal(catalogue[body.status.errors.code as keyof typeof catalogue]?.status, status)
  if (code !== undefined) assert.equal(body.status.errors.code, code)
}
