import { hash, verify } from '@node-rs/argon2'
import { fail } from '../../errors.ts'
import { Crowded, createTurnstile } from '../../lib/turnstile.ts'

/**
 * OWASP's first choice for argon2id: 19 MiB keeps many guesses from fitting on one graphics card, two passes cost a
 * guesser some 20 ms each, and one lane lets sign-ins of different people run side by side.
 */
const memoryCost = 19_456
const timeCost = 2
const parallelism = 1
const argon2id = 2
const parameters = { algorithm: argon2id, memoryCost, timeCost, parallelism }

/** Well formed, of the same cost as a real hash, and of no known password. */
const nobodysHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** One keyboard sends é as one character and another as two: both must open the same account. */
const normalize = (password: string): string => password.normalize('NFKC')

/**
 * Hashing runs on the few threads that signing and verifying tokens need too. Two at a time leave room for those; a
 * flood of sign-ins waits outside, and what is beyond patience is turned away.
 */
const turnstile = createTurnstile(2, 50)

const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
  turnstile(work).catch(error => {
    if (!(error instanceof Crowded)) throw error
    throw fail('service_unavailable', 'Too many people are signing in at this moment; try again shortly', {
      headers: { 'retry-after': '2' },
    })
  })

export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => hash(normalize(password), parameters))

export const verifyPassword = (password_hash: string, password: string): Promise<boolean> =>
  inTurn(() => verify(password_hash, normalize(password)))

/** Takes as long as a real check, so that the time of an answer does not tell whether an account exists. */
export async function verifyNothing(password: string): Promise<false> {
  await verifyPassword(nobodysHash, password)
  return false
}
