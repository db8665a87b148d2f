import { parentPort } from 'node:worker_threads'
import fc from 'fast-check'
import { holds } from '../marks.ts'
import { judge } from './judge.ts'
import { type Made, requestArbitrary, type Vocabulary } from './requests.ts'
import { createSender, type Got } from './send.ts'

/** The attackers' side, in a thread of its own: it makes requests, sends them, and judges the answers. */

/** One batch of them. */
export interface Orders {
  base: string
  words: Vocabulary
  seed: number
  size: number
  /** What tells that something of the other tenant got out. */
  marks: readonly string[]
}

export interface Findings {
  statuses: Record<string, number>
  /** What was not as it must be, each with the request that did it; the first of them. */
  broken: string[]
}

const atATime = 16
const mostTold = 20

parentPort?.on('message', async (orders: Orders) => parentPort?.postMessage(await attack(orders), []))

async function attack({ base, words, seed, size, marks }: Orders): Promise<Findings> {
  const findings: Findings = { statuses: {}, broken: [] }
  const left = fc.sample(requestArbitrary(words), { numRuns: size, seed }).values()
  const sender = createSender(base, atATime)
  const sendOn = async (): Promise<void> => {
    for (const made of left) {
      const got = await sender.send(made)
      const kind = typeof got === 'string' ? got : String(got.status)
      findings.statuses[kind] = (findings.statuses[kind] ?? 0) + 1
      const problem = judge(made, got, base) ?? foreign(made, got, words, marks)
      if (problem !== null && findings.broken.length < mostTold) {
        findings.broken.push(`${problem} ← ${shown(made)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atATime }, sendOn))
  sender.close()
  return findings
}

/** What of the tenant is in an answer to somebody who did not name it; operators see everything. */
function foreign(
  { target, headers, body }: Made,
  got: Got | string,
  { operator }: Vocabulary,
  marks: readonly string[],
): string | null {
  if (typeof got === 'string' || headers.some(([, value]) => value === operator.cookie)) return null
  const answer = `${JSON.stringify(got.headers)}${got.text}`
  const found = marks.filter(mark => holds(answer, mark))
  if (found.length === 0) return null
  const text = `${target} ${body?.toString() ?? ''}`
  const asked = `${text} ${unescaped(text)} ${headers.flat().join()}`
  const leak = found.find(mark => !asked.includes(mark))
  return leak === undefined ? null : `${leak} of another tenant in the answer: ${got.text.slice(0, 300)}`
}

/** As far as it can be; it may be escaped twice. */
const unescaped = (text: string): string => {
  const once = unescapedOnce(text)
  return `${once} ${unescapedOnce(once)}`
}

const unescapedOnce = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const shown = ({ method, target, headers, body }: Made): string =>
  `${method} ${target} ${JSON.stringify(headers)} ${JSON.stringify(body?.toString('latin1').slice(0, 1000) ?? null)}`
