import { html } from 'ghtml'
import { passwordLinkLifetime } from '../../../domain/accounts/password-links.ts'
import type { InputError } from '../../../domain/input-error.ts'
import type { Account } from '../../../storage/port/index.ts'
import { layout, type Page, type Viewer } from '../../layout.ts'
import { copyable } from '../../parts/copyable.ts'
import { currentPasswordField } from '../../parts/form/current-password.ts'
import { confirmPanel } from '../../parts/form/confirm-panel.ts'

interface AccountView {
  viewer: Viewer
  account: Account
}

interface QuestionView extends AccountView {
  problem?: InputError
}

const pathOf = ({ id }: Account): string => `/operator/accounts/${id}`

export const confirmLinkPage = ({ viewer, account, problem }: QuestionView): Page =>
  layout({
    title: `Create a password link for ${account.email}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Create a password link for ${account.email}?</h1>
      !${confirmPanel({
        action: `${pathOf(account)}/password-link`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>Anyone with the link can set the password of this account, once. Make sure that you give it to the
            account's owner. The current password works until then.</p>`,
        },
        fields: currentPasswordField(problem),
        confirm: 'Create the link',
        cancel: { href: pathOf(account), label: 'Cancel' },
      })}`,
  })

interface LinkView extends AccountView {
  /** Null: it was mailed. */
  link: string | null
  /** The account was created with it. */
  isNew: boolean
}

/** The only page that shows the link. It answers a form, so no address leads back to it. */
export const linkPage = ({ viewer, account, link, isNew }: LinkView): Page => {
  const title = isNew
    ? `The account ${account.email} has been created`
    : `A password link for ${account.email}`
  return layout({
    title,
    viewer,
    width: 'narrow',
    body: html`<h1>${title}</h1>
      !${link === null ? mailed(account) : handedOver(account, link)}`,
  })
}

const mailed = (account: Account): string => html`<p>The server has mailed ${account.email} a link to set the
    password. It works once, for ${passwordLinkLifetime / 3600} hours.</p>
  <p class="actions"><a class="button" href="${pathOf(account)}">Continue</a></p>`

const handedOver = (account: Account, link: string): string => html`<section class="card secret">
        <p>!${copyable({ value: link, id: 'password-link', what: 'link' })}</p>
        <p><strong>Copy the link now: it is shown only once.</strong> Send it to ${account.email} over a channel that
          only they read. It works once, for ${passwordLinkLifetime / 3600} hours.</p>
      </section>
      <p class="actions"><a class="button" href="${pathOf(account)}">I have copied it</a></p>`

export const turnOffTwoFactorPage = ({ viewer, account, problem }: QuestionView): Page =>
  layout({
    title: `Turn off two-factor authentication of ${account.email}`,
    viewer,
    width: 'narrow',
    body: html`<h1>Turn off two-factor authentication of ${account.email}?</h1>
      !${confirmPanel({
        action: `${pathOf(account)}/two-factor-off`,
        csrf: viewer.csrf,
        content: {
          html: html`<p>For a person who has lost both the phone and the recovery codes. The password alone will be enough
            to sign in, unless the settings require a code: then the next sign-in sets it up again.</p>`,
        },
        fields: currentPasswordField(problem),
        confirm: 'Turn off',
        cancel: { href: pathOf(account), label: 'Cancel' },
        danger: true,
      })}`,
  })
