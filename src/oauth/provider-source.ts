import type { EventEmitter } from 'node:events'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Keys } from '../domain/keys.ts'
import type { Key } from '../storage/port/index.ts'
import { isStorageFault } from '../domain/storage-fault.ts'
import { oauthErrorBody } from './error-body.ts'
import { createProvider, type ProviderDeps } from './provider.ts'

export interface ProviderSource {
  /** The provider for the keys of this moment. */
  current(): Promise<Provider>
  /** How it answers requests; `keys_state` is from a client's facts, where they are known. */
  handler(keys_state?: string): Promise<ReturnType<Provider['callback']>>
}

/**
 * The provider takes its keys once, and keys may be rotated by another process at any time. So the keys are asked for
 * on every request, and a change of them makes a new provider.
 */
export function createProviderSource(
  deps: ProviderDeps & { keys: Keys; onServerError(error: Error, request_id: string): void },
): ProviderSource {
  let made: { keyIds: string; provider: Provider; handle: ReturnType<Provider['callback']> } | undefined

  async function find(keys_state?: string) {
    const { signing, cookie } = await deps.keys.all(keys_state)
    const keyIds = [...signing.map(key => key.id), ...cookie].join()
    if (made?.keyIds !== keyIds) {
      const provider = make(signing, cookie)
      made = { keyIds, provider, handle: provider.callback() }
    }
    return made
  }

  function make(signing: Key[], cookie: string[]): Provider {
    const provider = createProvider(deps, signing, cookie)
    const report = (ctx: KoaContextWithOIDC, error: Error) =>
      deps.onServerError(error, String(ctx.res.getHeader('x-request-id')))
    provider.on('server_error', (ctx, error) => {
      report(ctx, error)
      if (isStorageFault(error)) answerUnavailable(ctx)
    })
    // Faults outside the provider's own error handling, such as a connection that broke while it answered.
    ;(provider as EventEmitter).on('error', (error, ctx) => report(ctx, error))
    return provider
  }

  return {
    current: async () => (await find()).provider,
    handler: async keys_state => (await find(keys_state)).handle,
  }
}

/** The provider knows no better than 500; a database that cannot answer now may be asked again soon. */
function answerUnavailable(ctx: KoaContextWithOIDC): void {
  ctx.status = 503
  ctx.set('retry-after', '1')
  ctx.body = oauthErrorBody(503, 'the database cannot answer now; try again shortly')
}
