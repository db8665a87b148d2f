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
import { fewAtATime, reusing } from './reused-coder.ts'

/**
 * Levels for answers that are compressed once and read once. Measured on pages of 100 orders, beside the usual levels:
 * gzip 4 takes two thirds of the time of 6 for a fifth more bytes (3 takes half, for a third more), Brotli 3 three
 * quarters of 4 for a tenth more; Zstandard 1 is as small as gzip 6 in a fifth of its time. In large pieces, since each is
 * another way through the thread pool.
 */
const chunkSize = 64 * 1024
const gzipOptions = { level: 4, chunkSize }
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize }
// A window of 256 KB holds a page. For the usual one Brotli sets up megabytes each time, which takes longer than its work.
// Its pieces are thrown away with it, so they are small.
const brotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 },
  chunkSize: 16 * 1024,
}

interface Coder {
  /** In a thread of Node's pool, when its turn comes and if it is wanted then; piece by piece. */
  whole(bytes: Uint8Array, isWanted?: () => boolean): Promise<Uint8Array[]>
  /** At once. */
  small(bytes: Uint8Array): Uint8Array
  stream(): Transform
}

const brotliAsync = promisify(brotliCompress)

/** RFC 9110 §8.4.1, RFC 7932, RFC 8878; best first. */
export const coders = {
  zstd: {
    // After the end of one frame it begins another by itself.
    whole: fewAtATime(reusing(() => createZstdCompress({ ...zstdOptions, flush: constants.ZSTD_e_end }))),
    small: bytes => zstdCompressSync(bytes, zstdOptions),
    stream: () => createZstdCompress(zstdOptions),
  },
  br: {
    // Its state cannot be used twice.
    whole: fewAtATime(async bytes => [await brotliAsync(bytes, brotliOptions)]),
    small: bytes => brotliCompressSync(bytes, brotliOptions),
    stream: () => createBrotliCompress({ ...brotliOptions, chunkSize }),
  },
  gzip: {
    whole: fewAtATime(
      reusing(
        () => createGzip({ ...gzipOptions, flush: constants.Z_FINISH }),
        // Every stream of node:zlib has it; the types say so of some.
        stream => (stream as Gzip & ZlibReset).reset(),
      ),
    ),
    small: bytes => gzipSync(bytes, gzipOptions),
    stream: () => createGzip(gzipOptions),
  },
} satisfies Record<string, Coder>

export type Coding = keyof typeof coders

const codings = Object.keys(coders) as Coding[]

/** Clients send few different headers, and short ones; each is read once. At most some 400 KB. */
const known = new Map<string, Coding | null>()
const mostKnown = 1000
const longestKnown = 200

/**
 * RFC 9110 §12.5.3: the coding that the client likes best, ours where it likes several alike; null for none. Whoever
 * refuses the plain form as well, and all that we have, gets the plain form.
 */
export function codingFor(accepted: string | undefined): Coding | null {
  if (accepted === undefined || accepted === '') return null
  let coding = known.get(accepted)
  if (coding === undefined) {
    coding = choose(weightsOf(accepted))
    if (known.size < mostKnown && accepted.length <= longestKnown) known.set(accepted, coding)
  }
  return coding
}

function choose(weights: ReadonlyMap<string, number>): Coding | null {
  const others = weights.get('*') ?? 0
  let best: Coding | null = null
  // What is not named is accepted as it is, and liked less than whatever is named (§12.5.3 rule 2).
  let most = weights.get('identity') ?? 0
  for (const coding of codings) {
    const weight = weights.get(coding) ?? others
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
    // A weight that is none says nothing about the coding.
    if (!Number.isNaN(weight)) weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return weights
}
