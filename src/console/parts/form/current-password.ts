import { html } from 'ghtml'
import type { InputError } from '../../../domain/input-error.ts'
import { field } from './field.ts'

/** For changes that an open browser alone must not allow. */
export const currentPasswordField = (problem: InputError | undefined): string =>
  field({
    id: 'current',
    label: 'Current password',
    problem,
    hint: { text: 'The one that you signed in with.' },
    control: attributes =>
      html`<input type="password" name="current" autocomplete="current-password" required !${attributes}>`,
  })
