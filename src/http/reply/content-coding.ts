import { LRUCache } from 'lru-cache'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  type Gzip,
  gzipSync,
  type ZlibReset,
  zstdCompressSync,
} from 'node:zlib'
import type { Transform } from 'node:stream'
import { createCompressorPool, limitConcurrency } from './compressor-pool.ts'

/** Each chunk is another round trip to the thread pool, so chunks are large. */
const chunkSize = 64 * 1024
/**
 * Levels for responses that are compressed once and read once, measured on pages of 100 orders (docs/performance.md).
 * gzip 3 takes half the time of 6 for 1.3 times the bytes, Brotli 3 three quarters of 4 for a tenth more, and
 * Zstandard 1 is as small as gzip 6 in a fifth of its time.
 */
const gzipOptions = { level: 3, chunkSize }
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize }
// A window of 256 KB holds a page. For its default window Brotli allocates megabytes each time, which takes longer than
// the compression. Its chunk buffer is freed with it, so it is small.
const brotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
  chunkSize: 16 * 1024,
}

interface Coder {
  /** Compresses in Node's thread pool, if the body is still wanted by then; returns chunks. */
  whole(bytes: Uint8Array, isWanted?: () => boolean): Promise<Uint8Array[]>
  /** Compresses synchronously. */
  small(bytes: Uint8Array): Uint8Array
  stream(): Transform
}

const brotliAsync = promisify(brotliCompress)

/** RFC 9110 §8.4.1, RFC 7932, RFC 8878; in the server's order of preference. */
export const coders = {
  zstd: {
    // It begins a new frame after each one by itself, so it needs no reset.
    whole: limitConcurrency(
      createCompressorPool(() => createZstdCompress({ ...zstdOptions, flush: constants.ZSTD_e_end })),
    ),
    small: bytes => zstdCompressSync(bytes, zstdOptions),
    stream: () => createZstdCompress(zstdOptions),
  },
  br: {
    // Node cannot reset a Brotli stream.
    whole: limitConcurrency(async bytes => [await brotliAsync(bytes, brotliOptions)]),
    small: bytes => brotliCompressSync(bytes, brotliOptions),
    stream: () => createBrotliCompress({ ...brotliOptions, chunkSize }),
  },
  gzip: {
    whole: limitConcurrency(
      createCompressorPool(
        () => createGzip({ ...gzipOptions, flush: constants.Z_FINISH }),
        // Every node:zlib stream has reset(); the types declare it for some.
        stream => (stream as Gzip & ZlibReset).reset(),
      ),
    ),
    small: bytes => gzipSync(bytes, gzipOptions),
    stream: () => createGzip(gzipOptions),
  },
} satisfies Record<string, Coder>

export type Coding = keyof typeof coders

const codings = Object.keys(coders) as Coding[]

/**
 * Clients send few different headers, and short ones. The cache takes at most 400 KB, and a lookup less than 0.1 µs.
 */
const known = new LRUCache<string, Coding | 'identity'>({ max: 1000 })
const maxKnownLength = 200

/**
 * RFC 9110 §12.5.3: the coding with the highest weight; among equal weights, the server's preference. Null means no
 * coding, also when the client accepts neither the identity nor any coding of the server. `*` stands for gzip alone:
 * proxies send it for clients that know no newer coding.
 */
export function codingFor(accepted: string | undefined): Coding | null {
  if (accepted === undefined || accepted === '') return null
  let coding = known.get(accepted)
  if (coding === undefined) {
    coding = choose(weightsOf(accepted)) ?? 'identity'
    if (accepted.length <= maxKnownLength) known.set(accepted, coding)
  }
  return coding === 'identity' ? null : coding
}

function choose(weights: ReadonlyMap<string, number>): Coding | null {
  const others = weights.get('*') ?? 0
  let best: Coding | null = null
  // An identity that the header does not list is acceptable, with a lower preference than any listed coding.
  let most = weights.get('identity') ?? 0
  for (const coding of codings) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? others : 0)
    if (weight > most || (weight === most && best === null && weight > 0)) {
      best = coding
      most = weight
    }
  }
  return best
}

function weightsOf(accepted: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim())
    if (name === '') continue
    const q = parameters.find(parameter => /^q\s*=/.test(parameter))
    const weight =
      q === undefined ? 1 : Number(/^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(q)?.[1] ?? Number.NaN)
    // A coding with an invalid weight is ignored.
    if (!Number.isNaN(weight)) weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return weights
}
