import { html } from 'ghtml'
import { copyable } from './copyable.ts'
import { facts } from './facts.ts'

interface SecretBox {
  client_id: string
  client_secret: string
}

/** An app's new secret, which is shown only once. */
export const secretBox = ({
  client_id,
  client_secret,
}: SecretBox): string => html`<section class="card secret">
  !${facts([
    { term: 'client_id', html: copyable({ value: client_id, id: 'client-id', what: 'client_id' }) },
    {
      term: 'client_secret',
      html: copyable({ value: client_secret, id: 'client-secret', what: 'client_secret' }),
    },
  ])}
  <p><strong>Copy the secret now: it is shown only once.</strong> The server stores only its hash, so nobody can look it
    up later. Keep it on your server, not in code or repositories.</p>
</section>`
