import type { PreparedRecord } from './records/prepared.ts'

/**
 * Bytes that the buffer allocates first, and the most at a time: each chunk is four times as large as the one before. Many
 * batches are a single order of a till, and freeing a megabyte takes V8 more than 1 ms.
 */
const firstChunk = 16 * 1024
const largestChunk = 1024 * 1024

/** A part ends with the record that reaches one of these. */
const partRecords = 2000
const partBytes = 1024 * 1024

/** A record's kind, line, two ids, four numbers and the lengths of four texts; the texts follow. */
const lengthsAt = 8 + 8 + 8 + 8 + 4 * 8
const headerSize = lengthsAt + 4 * 4

export interface Position {
  chunk: number
  at: number
}

export interface BufferPart {
  records: PreparedRecord[]
  /** Where the next part begins, which may be empty; null after the last one. */
  next: Position | null
}

/** The header of the record that is being written or read: single values are slow to access in resizable memory. */
const header = Buffer.alloc(headerSize)

const kinds = ['store', 'item', 'order'] as const

/**
 * The valid records of a batch until its commit. They are kept as bytes outside the JavaScript heap, because as strings
 * they take up to four times as much, and a thread's heap is limited.
 */
export class RecordBuffer {
  readonly #chunks: { bytes: Buffer; used: number }[] = []
  #count = 0
  #size = 0

  get count(): number {
    return this.#count
  }

  /** Bytes of all records. */
  get size(): number {
    return this.#size
  }

  add(record: PreparedRecord): void {
    const { ids, numbers, texts } = fieldsOf(record)
    const lengths = texts.map(text => (typeof text === 'string' ? Buffer.byteLength(text) : 0))
    const size = lengths.reduce((sum, length) => sum + length, headerSize)
    const chunk = this.#chunkWith(size)
    const { bytes, used: start } = chunk
    header[0] = kinds.indexOf(record.kind)
    header.writeDoubleLE(record.line, 8)
    for (let i = 0; i < ids.length; i++) header.writeBigInt64LE(ids[i] as bigint, 16 + i * 8)
    for (let i = 0; i < numbers.length; i++) header.writeDoubleLE(numbers[i] ?? Number.NaN, 32 + i * 8)
    let at = start + headerSize
    for (let i = 0; i < texts.length; i++) {
      const length = lengths[i] as number
      header.writeInt32LE(writeText(bytes, texts[i], at, length), lengthsAt + i * 4)
      at += length
    }
    header.copy(bytes, start)
    chunk.used = at
    this.#count++
    this.#size += size
  }

  /** The records from this position on, as many as a transaction handles in one step, in the order of their lines. */
  part(from: Position = { chunk: 0, at: 0 }): BufferPart {
    const records: PreparedRecord[] = []
    let { chunk, at } = from
    let size = 0
    while (records.length < partRecords && size < partBytes) {
      const { bytes, used } = this.#chunks[chunk] ?? {}
      if (bytes === undefined || used === undefined) return { records, next: null }
      if (at === used) {
        chunk++
        at = 0
        continue
      }
      const { record, end } = readRecord(bytes, at)
      records.push(record)
      size += end - at
      at = end
    }
    return { records, next: { chunk, at } }
  }

  /** Frees the memory now; the garbage collector would do it much later. */
  clear(): void {
    for (const { bytes } of this.#chunks.splice(0)) (bytes.buffer as ArrayBuffer).resize(0)
    this.#count = 0
    this.#size = 0
  }

  /** A chunk with this many free bytes. */
  #chunkWith(free: number): { bytes: Buffer; used: number } {
    const last = this.#chunks.at(-1)
    if (last && last.used + free <= last.bytes.length) return last
    const usual = last ? Math.min(4 * last.bytes.length, largestChunk) : firstChunk
    const chunk = { bytes: allocate(Math.max(usual, free)), used: 0 }
    this.#chunks.push(chunk)
    return chunk
  }
}

/** Resizable, because V8 maps such memory page by page: what `clear` frees goes back to the system, not to malloc. */
function allocate(size: number): Buffer {
  return Buffer.from(new ArrayBuffer(size, { maxByteLength: size }), 0, size)
}

/** Instead of the length of a text. */
const isNull = -1
const isAbsent = -2

type Texts = readonly (string | null | undefined)[]

/**
 * Writes a text of this many bytes; returns the number that says how to read it. ASCII, as most documents are, is copied:
 * it takes a third of the time of UTF-8.
 */
function writeText(bytes: Buffer, text: string | null | undefined, at: number, length: number): number {
  if (typeof text !== 'string') return text === null ? isNull : isAbsent
  const isAscii = length === text.length
  bytes.write(text, at, isAscii ? 'latin1' : 'utf8')
  return 2 * length + (isAscii ? 1 : 0)
}

function fieldsOf({ kind, row }: PreparedRecord): {
  ids: readonly bigint[]
  numbers: readonly (number | null)[]
  texts: Texts
} {
  switch (kind) {
    case 'store':
      return { ids: [row.id], numbers: [], texts: [row.name, row.timezone, row.merchant, row.doc] }
    case 'item':
      return { ids: [row.store_id, row.id], numbers: [row.updated_at], texts: [row.doc] }
    case 'order': {
      const { store_id, created_at, updated_at, paid_at, subtotal, id, sold, doc } = row
      const numbers = [created_at, updated_at, paid_at, subtotal]
      return { ids: [store_id], numbers, texts: [id, sold, doc] }
    }
  }
}

function readRecord(bytes: Buffer, start: number): { record: PreparedRecord; end: number } {
  let end = start + headerSize
  let texts = 0
  bytes.copy(header, 0, start, end)
  const line = header.readDoubleLE(8)
  const id = (i: number): bigint => header.readBigInt64LE(16 + i * 8)
  const number = (i: number): number => header.readDoubleLE(32 + i * 8)
  const nextText = (): string | null | undefined => {
    const written = header.readInt32LE(lengthsAt + 4 * texts++)
    if (written < 0) return written === isNull ? null : undefined
    const from = end
    end += written >> 1
    return bytes.toString(written & 1 ? 'latin1' : 'utf8', from, end)
  }
  const text = (): string => nextText() ?? ''
  switch (kinds[header[0] as number]) {
    case 'store': {
      const [name, timezone, merchant, doc] = [text(), text(), nextText(), text()]
      return { record: { kind: 'store', line, row: { id: id(0), name, timezone, merchant, doc } }, end }
    }
    case 'item': {
      const row = { store_id: id(0), id: id(1), updated_at: number(0), doc: text() }
      return { record: { kind: 'item', line, row }, end }
    }
    default: {
      const [created_at, updated_at, paid, subtotal] = [number(0), number(1), number(2), number(3)]
      const paid_at = Number.isNaN(paid) ? null : paid
      const [orderId, sold, doc] = [text(), text(), text()]
      const row = { store_id: id(0), id: orderId, created_at, updated_at, paid_at, subtotal, sold, doc }
      return { record: { kind: 'order', line, row }, end }
    }
  }
}
