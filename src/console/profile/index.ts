import type { PagePlugin } from '../page-scope.ts'
import { requireSignedIn } from '../sign-in/require-role.ts'
import { passwordPage } from './password.ts'
import { profilePage } from './profile.ts'
import { sessionPages } from './sessions.ts'
import { ownTwoFactorPages } from './two-factor.ts'

/** Everyone's own account: the password, two-factor authentication and where they are signed in. */
export const profilePages: PagePlugin = async (scope, deps) => {
  scope.addHook('preHandler', requireSignedIn(deps))
  profilePage(scope, deps)
  passwordPage(scope, deps)
  sessionPages(scope, deps)
  ownTwoFactorPages(scope, deps)
}
