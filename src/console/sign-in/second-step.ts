import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Account, Storage } from '../../storage/port/index.ts'
import { cookieName, cookieOptions } from './signed-in.ts'

/** Seconds between the password and the code. */
const lifetime = 600

/**
 * Remembers in a signed cookie that a person has entered the right password but no code yet. It is not a session: no page
 * but the code's reads it, and it ends with the password that was given.
 */
export function createSecondStep({
  storage,
  clock,
  secure,
}: {
  storage: { accounts: Pick<Storage['accounts'], 'find'> }
  clock: Clock
  secure: boolean
}) {
  const name = cookieName('tillgate_second_step', secure)
  const options = { ...cookieOptions(secure), signed: true }
  return {
    begin(reply: FastifyReply, { id, password_hash }: Account): void {
      const value = `${id}.${sha256(password_hash)}.${clock.now() + lifetime}`
      reply.setCookie(name, value, { ...options, maxAge: lifetime })
    },
    async account(request: FastifyRequest): Promise<Account | null> {
      const { valid, value } = request.unsignCookie(request.cookies[name] ?? '')
      const [id = '', password, until] = (valid && value ? value : '').split('.')
      if (Number(until ?? 0) <= clock.now()) return null
      const account = await storage.accounts.find(id)
      return account?.disabled_at === null && sha256(account.password_hash) === password ? account : null
    },
    end: (reply: FastifyReply): void => void reply.clearCookie(name, options),
  }
}

export type SecondStep = ReturnType<typeof createSecondStep>
