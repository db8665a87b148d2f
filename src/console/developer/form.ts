import type { AppProfile } from '../../domain/apps/apps.ts'
import { text, texts } from '../fields.ts'
import type { ProfileForm } from './form.view.ts'

export const profileFields = { name: text, website: text, publisher: text, redirect_uris: text, scope: texts }

/** Ignores blank lines between redirect URIs. */
export function profileOf(form: ProfileForm): AppProfile & { scope: string } {
  const { name, website, publisher, redirect_uris, scopes } = form
  const lines = redirect_uris.split('\n').map(line => line.trim())
  const uris = lines.filter(line => line !== '')
  return { name, website, publisher, redirect_uris: uris, scope: scopes.join(' ') }
}
