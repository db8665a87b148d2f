import { hash, verify } from '@node-rs/argon2'
import { fail } from '../../errors.ts'
import { createLimiter } from '../../lib/limiter.ts'

/**
 * OWASP's first choice for argon2id: 19 MiB limits how many guesses fit on one graphics card, two passes cost about
 * 20 ms for each guess, and one lane lets several sign-ins run in parallel.
 */
const memoryCost = 19_456
const timeCost = 2
const parallelism = 1
const argon2id = 2
const parameters = { algorithm: argon2id, memoryCost, timeCost, parallelism }

/** Well-formed, as costly to verify as a real hash, and of no known password. */
const dummyHash = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Some keyboards send é as one character and others as two; both must match. */
const normalize = (password: string): string => password.normalize('NFKC')

/**
 * Hashing uses the threads that sign and verify tokens too. Two at a time leave the others to those; during a flood of
 * sign-ins fifty wait, and the server rejects the rest.
 */
const hashing = createLimiter({
  concurrency: 2,
  maxQueue: 50,
  refuse: () =>
    fail('service_unavailable', 'Too many people are signing in at this moment; try again shortly', {
      retry_after: 2,
    }),
})

export const hashPassword = (password: string): Promise<string> =>
  hashing.run(() => hash(normalize(password), parameters))

export const verifyPassword = (password_hash: string, password: string): Promise<boolean> =>
  hashing.run(() => verify(password_hash, normalize(password)))

/** Takes as long as a real check, so that the response time does not reveal whether an account exists. */
export async function verifyDummy(password: string): Promise<false> {
  await verifyPassword(dummyHash, password)
  return false
}
