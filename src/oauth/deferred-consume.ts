import { currentContext, type DeferredConsume, type RequestContext } from './provider-request.ts'

/**
 * oidc-provider consumes a code or refresh token first and stores the next refresh token later. One transaction does
 * both here: a fault between two would leave the app with neither, and its retry would look like theft.
 */
export function deferConsume(artifact: DeferredConsume): void {
  const context = currentContext()
  if (!context) throw new Error('only a token request consumes a code or refresh token')
  context.deferred = artifact
}

/** The artifact to consume with the refresh token that is about to be stored. */
export function takeDeferred(context: RequestContext | undefined): DeferredConsume | undefined {
  const deferred = context?.deferred
  if (context) context.deferred = undefined
  return deferred
}
