import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Prints a command's result on stdout: one line of JSON for scripts, or text. */
export function print(json: boolean | undefined, result: object, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(result) : text}\n`)
}

/** Prints a long result no faster than it is read. A reader that closes the pipe early, as `head` does, ends it. */
export async function printAll(pieces: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(pieces), process.stdout, { end: false }).catch(error => {
    if (!isClosedPipe(error)) throw error
  })
}

/** After `webhook stop`, `restore` or `copy`. */
export const stoppedNote = 'This database sends no webhooks; "tillgate webhook resume" starts them.'

/** Prints a message beside the result, on stderr. When stderr is closed or full, there is nowhere else to print it. */
export function note(text: string): void {
  try {
    process.stderr.write(`${text}\n`)
  } catch {}
}

export const isClosedPipe = (error: unknown): boolean =>
  ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? '')
