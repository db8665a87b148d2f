import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { gunzip } from '../../lib/gunzip.ts'
import { missingFile } from '../shared/missing-file.ts'

export interface ImportSource {
  pieces: AsyncIterable<Buffer>
  /** Bytes of the file; null when they are not known in advance. */
  size: number | null
  /** Bytes of the file that were read so far. */
  bytesRead(): number
}

/** A file, expanded when its name ends in .gz; `-` is standard input. Reading ends with an error when aborted. */
export async function openSource(file: string, signal: AbortSignal): Promise<ImportSource> {
  if (file === '-') return { pieces: addAbortSignal(signal, process.stdin), size: null, bytesRead: () => 0 }
  const found = await stat(file).catch(missingFile(file))
  if (found.isDirectory()) throw new Error(`${file} is a folder, not a file`)
  // addAbortSignal also listens for errors, so an error before the first read is not lost.
  const input = addAbortSignal(signal, createReadStream(file, { highWaterMark: 256 * 1024 }))
  return {
    pieces: file.endsWith('.gz') ? gunzip(input) : input,
    // A pipe in the file system has a size of 0.
    size: found.size || null,
    bytesRead: () => input.bytesRead,
  }
}
