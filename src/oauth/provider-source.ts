import type { EventEmitter } from 'node:events'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Keys } from '../domain/keys.ts'
import type { Key } from '../storage/port/index.ts'
import { isStorageFault } from '../domain/storage-fault.ts'
import { oauthErrorBody } from './error-body.ts'
import { createProvider, type ProviderDeps } from './provider.ts'

export interface ProviderSource {
  /** The provider with the current keys; `keys_state` comes with the client's lookup and saves reading them. */
  current(keys_state?: string): Promise<Provider>
  /** Its request handler. */
  handler(keys_state?: string): Promise<ReturnType<Provider['callback']>>
}

/**
 * A provider gets its keys when it is created, but another process may rotate them at any time. So every request checks
 * the keys, and a change creates a new provider.
 */
export function createProviderSource(
  deps: ProviderDeps & { keys: Keys; onServerError(error: Error, request_id: string): void },
): ProviderSource {
  let current: { keyIds: string; provider: Provider; handle: ReturnType<Provider['callback']> } | undefined

  async function find(keys_state?: string) {
    const { signing, cookie } = await deps.keys.all(keys_state)
    const keyIds = [...signing.map(key => key.id), ...cookie].join()
    if (current?.keyIds !== keyIds) {
      const provider = create(signing, cookie)
      current = { keyIds, provider, handle: provider.callback() }
    }
    return current
  }

  function create(signing: Key[], cookie: string[]): Provider {
    const provider = createProvider(deps, signing, cookie)
    const report = (ctx: KoaContextWithOIDC, error: Error) =>
      deps.onServerError(error, String(ctx.res.getHeader('x-request-id')))
    provider.on('server_error', (ctx, error) => {
      report(ctx, error)
      if (isStorageFault(error)) answerUnavailable(ctx)
    })
    // Faults outside the provider's error handling, for example a connection that breaks during the response.
    ;(provider as EventEmitter).on('error', (error, ctx) => report(ctx, error))
    return provider
  }

  return {
    current: async keys_state => (await find(keys_state)).provider,
    handler: async keys_state => (await find(keys_state)).handle,
  }
}

/** The provider answers 500 to every fault; a client may retry when only the database is unavailable. */
function answerUnavailable(ctx: KoaContextWithOIDC): void {
  ctx.status = 503
  ctx.set('retry-after', '1')
  ctx.body = oauthErrorBody(503, 'the database cannot answer now; try again shortly')
}
