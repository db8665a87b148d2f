import type { AppFace } from '../../domain/apps/apps.ts'
import type { FaceForm } from './form.view.ts'

/** As it was typed, so that it can be shown again. A field that a form of ours does not send so counts as empty. */
export function readFaceForm(body: unknown): FaceForm {
  const form = (body ?? {}) as Record<string, unknown>
  const text = (name: keyof FaceForm): string => {
    const value = form[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    name: text('name'),
    website: text('website'),
    publisher: text('publisher'),
    redirect_uris: text('redirect_uris'),
  }
}

/** What it says; blank lines between redirect URIs say nothing. */
export function faceOf({ name, website, publisher, redirect_uris }: FaceForm): AppFace {
  const lines = redirect_uris.split('\n').map(line => line.trim())
  return { name, website, publisher, redirect_uris: lines.filter(line => line !== '') }
}
