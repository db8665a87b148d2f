import type { FastifyRequest } from 'fastify'
import { InputError } from '../../domain/input-error.ts'
import type { ConsoleDeps } from '../deps.ts'

/**
 * For changes that an open browser alone must not allow: what is wrong with the password that a signed-in person typed,
 * as an error of the field `current`; null when it is right. Guesses are throttled like sign-ins.
 */
export const createPasswordCheck =
  ({ accounts, signInThrottle }: Pick<ConsoleDeps, 'accounts' | 'signInThrottle'>) =>
  async ({ account, ip }: FastifyRequest, password: string): Promise<InputError | null> => {
    const attempt = { name: account.email, address: ip }
    const seconds = await signInThrottle.count(attempt)
    if (seconds > 0) return new InputError('current', `too many attempts; wait ${seconds} s, then try again`)
    if (!(await accounts.isPasswordOf(account, password))) {
      return new InputError('current', 'this is not your current password')
    }
    await signInThrottle.forgive(attempt)
    return null
  }
