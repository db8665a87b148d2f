import type { AppProfile } from '../../domain/apps/apps.ts'
import { text } from '../fields.ts'
import type { ProfileForm } from './form.view.ts'

export const profileFields = { name: text, website: text, publisher: text, redirect_uris: text }

/** Ignores blank lines between redirect URIs. */
export function profileOf({ name, website, publisher, redirect_uris }: ProfileForm): AppProfile {
  const lines = redirect_uris.split('\n').map(line => line.trim())
  return { name, website, publisher, redirect_uris: lines.filter(line => line !== '') }
}
