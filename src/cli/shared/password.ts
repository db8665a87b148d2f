import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InputError } from '../../domain/input-error.ts'
import { Interrupted } from './errors.ts'

export interface Terminal {
  input: Readable & { isTTY?: boolean }
  /** The prompts go here, because stdout is for results. */
  output: Writable & { isTTY?: boolean }
}

/** A password is never an argument, because every user of the machine can read the arguments of a process. */
export async function readPassword(
  fromStdin: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  if (fromStdin) return onlyLine(await text(input))
  if (!input.isTTY || !output.isTTY) {
    throw new InputError('password', 'cannot ask for the password without a terminal; use --password-stdin')
  }
  const [password = '', again] = await askHidden(['Password: ', 'Again: '], { input, output })
  if (password !== again) throw new InputError('password', 'the two passwords differ')
  return password
}

function onlyLine(input: string): string {
  const line = input.replace(/\r?\n$/, '')
  if (/[\r\n]/.test(line)) {
    throw new InputError(
      'password',
      'standard input has more than one line; the password must be a single line',
    )
  }
  return line
}

/** readline echoes the typed characters to its output, so that output discards them. */
async function askHidden(questions: readonly string[], { input, output }: Terminal): Promise<string[]> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: discard, terminal: true, historySize: 0 })
  let interrupted = false
  lines.on('SIGINT', () => {
    interrupted = true
    lines.close()
  })
  const typed = lines[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      output.write(question)
      const { done, value } = await typed.next()
      output.write('\n')
      if (interrupted) throw new Interrupted('cancelled')
      if (done) throw new InputError('password', 'cancelled')
      answers.push(value)
    }
    return answers
  } finally {
    lines.close()
  }
}
