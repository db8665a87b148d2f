import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { windowEnd } from '../../lib/window.ts'
import type { Account, Storage, TwoFactor } from '../../storage/port/index.ts'
import { auditEntry, type By } from '../audit/audit.ts'
import { type BrandService, nameOf } from '../brand/brand.ts'
import { InputError } from '../input-error.ts'
import type { Switches } from '../switches.ts'

const period = 30
/** Time steps that a phone's clock may be off. */
const window = 1
const recoveryCodeCount = 10
/** Attempts in a minute and in a day: the chance to guess a code is below 1 in 3000 a day. */
const attempts = [
  [60, 5],
  [86_400, 100],
] as const

/** Two-factor authentication by the codes of an authenticator app (RFC 6238), with recovery codes for a lost phone. */
export function createTwoFactor({
  storage,
  clock,
  switches,
  brand,
}: {
  storage: Pick<Storage, 'throttles' | 'twoFactors'>
  clock: Clock
  switches: Pick<Switches, 'isOn'>
  brand: Pick<BrandService, 'current'>
}) {
  const totpOf = (secret: string, email: string) =>
    new TOTP({ issuer: nameOf(brand.current()), label: email, secret: Secret.fromBase32(secret), period })

  /** The time step of a code, or null. */
  function stepOf(secret: string, account: Account, typed: string): number | null {
    const token = withoutSpaces(typed)
    if (!/^\d{6}$/.test(token)) return null
    const timestamp = clock.now() * 1000
    const delta = totpOf(secret, account.email).validate({ token, timestamp, window })
    return delta === null ? null : Math.floor(timestamp / 1000 / period) + delta
  }

  const propose = ({ email }: Account, secret = new Secret({ size: 20 }).base32) => ({
    secret,
    uri: totpOf(secret, email).toString(),
  })

  return {
    find: (account: Account): Promise<TwoFactor | null> => storage.twoFactors.find(account.id),
    /** Whether the operator requires it of the account's role. */
    isRequired: ({ role }: Account): Promise<boolean> => switches.isOn(`two_factor_${role}`),
    /** The page that a person with the right password needs before a session begins; null: none. */
    async nextStep(account: Account): Promise<'/login/code' | '/login/set-up' | null> {
      if (await storage.twoFactors.find(account.id)) return '/login/code'
      return (await switches.isOn(`two_factor_${account.role}`)) ? '/login/set-up' : null
    },
    /** A new secret, and the address that an authenticator app reads from a QR code. */
    propose,
    /** The same secret after a wrong code; a new one when a stranger's text was sent as the secret. */
    proposeAgain: (account: Account, secret: string) =>
      propose(account, isSecret.test(secret) ? secret : undefined),
    /** Turns it on once a code shows that the app has the secret; returns the recovery codes. */
    async turnOn(account: Account, secret: string, code: string, by: By): Promise<string[]> {
      const step = isSecret.test(secret) ? stepOf(secret, account, code) : null
      if (step === null) throw new InputError('code', 'this is not the code that the app shows now')
      const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode)
      const two_factor = { secret, step, recovery_hashes: codes.map(hashOf), created_at: clock.now() }
      const entry = auditEntry(clock, by, 'two_factor_on', { account_id: account.id })
      await storage.twoFactors.set(account.id, two_factor, entry)
      return codes
    },
    turnOff: (account: Account, by: By): Promise<boolean> =>
      storage.twoFactors.remove(
        account.id,
        auditEntry(clock, by, 'two_factor_off', { account_id: account.id }),
      ),
    /**
     * Counts an attempt; returns the seconds to wait, or 0. By account, from wherever it comes: only someone who knows
     * the password gets this far. A recovery code cannot be guessed, so it always works.
     */
    async take({ id }: Account, text: string): Promise<number> {
      if (!/^\d*$/.test(withoutSpaces(text))) return 0
      const now = clock.now()
      for (const [seconds, most] of attempts) {
        const end = windowEnd(now, seconds)
        if ((await storage.throttles.hit(`two-factor ${seconds} ${id}`, now, end)) > most) return end - now
      }
      return 0
    },
    /** Whether the text is a code of the app or a recovery code; each works once. */
    async check(account: Account, { secret }: TwoFactor, text: string): Promise<boolean> {
      const step = stepOf(secret, account, text)
      if (step !== null) return storage.twoFactors.useStep(account.id, step)
      return storage.twoFactors.useRecoveryCode(account.id, hashOf(text))
    },
  }
}

export type TwoFactorService = ReturnType<typeof createTwoFactor>

/** 160 random bits in Base32. */
const isSecret = /^[A-Z2-7]{32}$/

/** 80 random bits, which nobody guesses, in groups that people can type. */
const newRecoveryCode = (): string =>
  new Secret({ size: 10 }).base32.toLowerCase().replace(/.{4}(?=.)/g, '$&-')

const hashOf = (code: string): string =>
  sha256(
    withoutSpaces(code)
      .toLowerCase()
      .replace(/[^a-z2-7]/g, ''),
  )

/** Keyboards of East Asia type digits and letters in full width. */
const withoutSpaces = (typed: string): string => typed.normalize('NFKC').replace(/\s/g, '')
