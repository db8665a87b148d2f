import { html } from 'ghtml'
import { logoRule } from '../../../domain/brand/logos.ts'
import type { InputError } from '../../../domain/input-error.ts'
import { logoTypes } from '../../../storage/port/index.ts'
import { field } from './field.ts'
import { postForm } from './post-form.ts'

interface LogoForm {
  /** Where both forms are sent. */
  action: string
  csrf: string
  /** HTML of the logo as it is. */
  shown: string
  /** There is one, which can be removed. */
  exists: boolean
  problem: InputError | undefined
}

/** A form that uploads a logo, and one that removes it. Their field `part` tells them from other forms of a page. */
export const logoForm = ({ action, csrf, shown, exists, problem }: LogoForm): string =>
  html`<p class="current-logo">!${shown}</p>
    !${postForm(
      action,
      csrf,
      html`<input type="hidden" name="part" value="logo">
      !${field({
        id: 'logo',
        label: exists ? 'New logo' : 'Logo',
        problem,
        hint: { text: `A square image looks best: ${logoRule}.` },
        control: attributes =>
          html`<input type="file" name="logo" accept="${logoTypes.join(',')}" required !${attributes}>`,
      })}
      <button type="submit">Upload</button>`,
      { files: true },
    )}
    !${
      exists
        ? postForm(
            action,
            csrf,
            html`<input type="hidden" name="part" value="logo"><input type="hidden" name="remove" value="yes">
            <button type="submit" class="secondary">Remove the logo</button>`,
          )
        : ''
    }`
