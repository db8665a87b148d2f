import type { PagePlugin } from '../page-scope.ts'
import { requireRole } from '../sign-in/require-role.ts'
import { ownAppPages } from './app/index.ts'
import { myApps } from './apps.ts'
import { newApp } from './new-app.ts'

/** The developer's pages: a list of the apps, a form for a new one, and the pages of each. */
export const developerPages: PagePlugin = async (scope, deps) => {
  scope.addHook('preHandler', requireRole('developer', deps))
  myApps(scope, deps)
  newApp(scope, deps)
  await scope.register(ownAppPages, deps)
}
