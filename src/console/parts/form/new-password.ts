import { html } from 'ghtml'
import { passwordLength } from '../../../domain/accounts/accounts.ts'
import type { InputError } from '../../../domain/input-error.ts'
import { field } from './field.ts'

interface NewPassword {
  label: string
  problem?: InputError | undefined
}

/** The field of a password that is being chosen. A page never contains the password: the person types it again. */
export const newPasswordField = ({ label, problem }: NewPassword): string =>
  field({
    id: 'password',
    label,
    problem,
    hint: {
      text: `At least ${passwordLength.least} characters of any kind. A few words in a row are hard to guess and easy to remember.`,
    },
    control: attributes =>
      html`<input type="password" name="password" autocomplete="new-password" minlength="${passwordLength.least}"
        maxlength="${passwordLength.most}" required !${attributes}>`,
  })
