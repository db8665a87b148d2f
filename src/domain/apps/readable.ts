import { commonScopes, splitScope } from '../../contract/scopes.ts'
import type { App } from '../../storage/port/index.ts'

type ReadingApp = Pick<App, 'public' | 'scope'>

/**
 * The scopes of the app's own token (client_credentials), which reads the stores of every live authorization. A public
 * app cannot get one.
 */
export const ownScopes = ({ public: isPublic, scope }: ReadingApp): string[] =>
  isPublic ? [] : splitScope(scope)

const isReadScope = (scope: string): boolean => scope.startsWith('integration.')

/** What the app asks of a merchant: the scope of the consent's tokens, and those of its own token. */
export const requestableScopes = (app: ReadingApp): string[] =>
  splitScope(app.scope).filter(scope => !app.public || scope === 'integration.store')

/** Of the scopes that were allowed, those by which the app reads. An operator's link applies to the app's own token only. */
export const readScopes = (app: ReadingApp, allowed: string, by: 'merchant' | 'operator'): string[] => {
  const scopes = by === 'merchant' ? requestableScopes(app) : ownScopes(app)
  return splitScope(commonScopes(scopes.join(' '), allowed)).filter(isReadScope)
}

/** What the app asks for and the merchant has not allowed: the app got these scopes later. */
export const newScopes = (app: ReadingApp, allowed: string): string[] => {
  const known = splitScope(allowed)
  return requestableScopes(app).filter(scope => !known.includes(scope))
}
