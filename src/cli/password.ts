import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InputError } from '../domain/input-error.ts'

export interface Terminal {
  input: Readable & { isTTY?: boolean }
  /** Where the questions go: not stdout, which is for results. */
  output: Writable & { isTTY?: boolean }
}

/** A password never comes as an argument: every user of the machine could read it in the list of processes. */
export async function readPassword(
  fromStdin: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  if (fromStdin) return onlyLine(await text(input))
  if (!input.isTTY || !output.isTTY) {
    throw new InputError('password', 'there is no terminal to ask for the password on; use --password-stdin')
  }
  const [password = '', again] = await askHidden(['Password: ', 'Again: '], { input, output })
  if (password !== again) throw new InputError('password', 'the two passwords differ')
  return password
}

function onlyLine(input: string): string {
  const line = input.replace(/\r?\n$/, '')
  if (/[\r\n]/.test(line)) {
    throw new InputError('password', 'standard input has more than one line; the password is one')
  }
  return line
}

/** readline echoes what is typed to its own output, so it gets one that shows nothing. */
async function askHidden(questions: readonly string[], { input, output }: Terminal): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  lines.on('SIGINT', () => lines.close())
  const typed = lines[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      output.write(question)
      const { done, value } = await typed.next()
      output.write('\n')
      if (done) throw new InputError('password', 'cancelled')
      answers.push(value)
    }
    return answers
  } finally {
    lines.close()
  }
}
