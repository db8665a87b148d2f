import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { badRecords } from '../../helpers/bad-records.ts'
import { orderArbitrary } from '../../helpers/order-arbitrary.ts'
import { sampleItem, sampleStore } from '../../helpers/orders.ts'
import { hostileText } from './hostile.ts'

export interface Body {
  headers: [name: string, value: string][]
  bytes: Buffer
}

const formType = 'application/x-www-form-urlencoded'

export const formBody = (fields: readonly string[]): Body => ({
  headers: [['content-type', formType]],
  bytes: Buffer.from(fields.join('&'), 'latin1'),
})

/** What the operation takes, as a rule; else the same under another name, or anything under any name. */
export function bodyArbitrary(
  types: readonly string[],
  fields: fc.Arbitrary<string[]>,
  stores: readonly string[],
): fc.Arbitrary<Body | null> {
  const fitting: fc.Arbitrary<Body | null> = types.includes(formType)
    ? fields.map(formBody)
    : types.length > 0
      ? records(stores)
      : fc.constant(null)
  return fc.oneof(
    { weight: 10, arbitrary: fitting },
    { weight: 1, arbitrary: fc.tuple(fitting, anyType).map(([body, type]) => body && retyped(body, type)) },
    {
      weight: 1,
      arbitrary: fc.tuple(anyBytes, anyType).map(([bytes, type]) => ({ headers: typed(type), bytes })),
    },
  )
}

const typed = (type: string): Body['headers'] => (type === '' ? [] : [['content-type', type]])

const retyped = ({ bytes }: Body, type: string): Body => ({ headers: typed(type), bytes })

const anyType = fc.constantFrom(
  '',
  formType,
  'application/json',
  'application/x-ndjson',
  'application/jsonl',
  'text/plain',
  'text/xml',
  'multipart/form-data; boundary=x',
  `${formType}; charset=utf-16`,
  'application/octet-stream',
  'x',
  '/',
  ';',
)

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  fc.json().map(text => Buffer.from(text)),
  hostileText.map(text => Buffer.from(text)),
  fc.constantFrom(
    Buffer.from('--x\r\nContent-Disposition: form-data; name="client_id"\r\n\r\n1\r\n--x--\r\n'),
    Buffer.from('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>'),
    Buffer.from(`{"a":${'['.repeat(5000)}`),
    Buffer.from('a=1&'.repeat(5000)),
    Buffer.alloc(60_000, 'a'),
    Buffer.alloc(200_000, 'b'),
    gzipSync(Buffer.alloc(3_000_000, '\n')),
    gzipSync('{"kind":"store"}').subarray(0, 20),
  ),
)

/** Lines for the platform's endpoint: whole records, records with a wrong place, and what is none. */
function records(stores: readonly string[]): fc.Arbitrary<Body> {
  const store = fc.constantFrom(...stores)
  const withStore = (record: object, id: string) =>
    JSON.stringify({ ...record, store_id: 0 }).replace('"store_id":0', `"store_id":${id}`)
  const order = fc.tuple(orderArbitrary, store).map(([one, id]) => withStore({ kind: 'order', ...one }, id))
  const spoilt = fc
    .tuple(order, fc.nat(), hostileText)
    .map(
      ([line, at, text]) =>
        line.slice(0, at % line.length) + text + line.slice((at % line.length) + text.length),
    )
  const line = fc.oneof(
    { weight: 3, arbitrary: order },
    { weight: 2, arbitrary: spoilt },
    { weight: 1, arbitrary: store.map(id => withStore(sampleItem(), id)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(store, hostileText)
        .map(([id, name]) => JSON.stringify(sampleStore({ id: 0, name })).replace('"id":0', `"id":${id}`)),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...badRecords.map(({ record }) => record))
        .map(record => (typeof record === 'string' ? record : JSON.stringify(record))),
    },
    { weight: 1, arbitrary: hostileText },
  )
  return fc
    .tuple(fc.array(line, { maxLength: 4 }), fc.constantFrom('plain', 'plain', 'gzip'))
    .map(([lines, how]) => {
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      const type: [string, string] = ['content-type', 'application/x-ndjson']
      return how === 'plain'
        ? { headers: [type], bytes }
        : { headers: [type, ['content-encoding', 'gzip']], bytes: gzipSync(bytes) }
    })
}
