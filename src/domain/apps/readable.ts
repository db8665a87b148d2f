import { splitScope } from '../../contract/scopes.ts'
import type { App } from '../../storage/port/index.ts'

type ReadingApp = Pick<App, 'public' | 'scope'>

/**
 * The scopes of the app's own token (client_credentials), which reads the stores of every live authorization. A public
 * app cannot get one.
 */
export const ownScopes = ({ public: isPublic, scope }: ReadingApp): string[] =>
  isPublic ? [] : splitScope(scope)

const isReadScope = (scope: string): boolean => scope.startsWith('integration.')

/** Only an app's own token reads the stores that an operator linked. */
export const readsLinks = (app: ReadingApp): boolean => ownScopes(app).some(isReadScope)

/** The scopes by which the app reads: those of its own token, or of a merchant's consent for a public app. */
export const readScopes = (app: ReadingApp): string[] =>
  app.public ? ['integration.store'] : ownScopes(app).filter(isReadScope)

/** The app can write the data of every store: the platform itself. */
export const writes = (app: ReadingApp): boolean => ownScopes(app).includes('platform.write')
