import type Provider from 'oidc-provider'
import type { Keys } from '../domain/keys.ts'
import { createProvider, type ProviderDeps } from './provider.ts'

export interface ProviderSource {
  /** The provider for the keys of this moment. */
  current(): Promise<Provider>
}

/**
 * The provider takes its keys once, and keys may be rotated by another process at any time. So the keys are asked for
 * on every request, and a change of them makes a new provider.
 */
export function createProviderSource(
  deps: ProviderDeps & { keys: Keys; onServerError(error: Error): void },
): ProviderSource {
  let made: { provider: Provider; keyIds: string } | undefined
  return {
    async current() {
      const [signing, cookie] = await Promise.all([deps.keys.signing(), deps.keys.cookie()])
      const keyIds = signing.map(key => key.id).join()
      if (made?.keyIds !== keyIds) {
        const provider = createProvider(deps, signing, cookie)
        provider.on('server_error', (_ctx, error) => deps.onServerError(error))
        made = { provider, keyIds }
      }
      return made.provider
    },
  }
}
