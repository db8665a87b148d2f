import { sha256 } from '../../../lib/hash.ts'
import { randomId, randomSecret } from '../../../lib/ids.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { fields, text } from '../../fields.ts'
import type { PageScope } from '../../page-scope.ts'
import { sendHtml } from '../../send-html.ts'
import { connectPage } from './connect.view.ts'

/** Links by which merchants connect the app: one to try now, with its own state and PKCE, and how an app makes them. */
export function developerConnect(scope: PageScope, { issuer }: ConsoleDeps): void {
  const schema = { querystring: fields({ redirect_uri: text }) }

  scope.get('/developer/apps/:app_id/connect', { schema }, async ({ ownApp: app, viewer, query }, reply) => {
    const redirect_uri = app.redirect_uris.find(uri => uri === query.redirect_uri) ?? app.redirect_uris[0]
    const code_verifier = randomSecret()
    // RFC 7636 §4.2: the S256 challenge is this hash in the same form.
    const attempt = { state: randomId(), code_verifier, code_challenge: sha256(code_verifier) }
    return sendHtml(reply, connectPage({ viewer, app, issuer, redirect_uri: redirect_uri ?? null, attempt }))
  })
}
