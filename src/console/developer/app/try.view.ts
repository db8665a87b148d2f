import { html } from 'ghtml'
import { allowedForGrant, type GrantType, splitScope } from '../../../contract/scopes.ts'
import { nameOf } from '../../../domain/brand/brand.ts'
import { referenceConfiguration, referencePath } from '../../../http/ops/reference.ts'
import type { App } from '../../../storage/port/index.ts'
import type { Page } from '../../layout.ts'
import { assetAddress } from '../../assets/asset-files.ts'

interface TryView {
  app: App
  issuer: string
}

/** A bar above Scalar's API reference, which reads its configuration from an attribute: no inline script. */
export const tryPage =
  ({ app, issuer }: TryView): Page =>
  brand =>
    html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Try the API as ${app.name} · ${nameOf(brand)}</title>
    <link rel="icon" href="!${assetAddress('/favicon.ico')}" type="image/svg+xml">
    <link rel="stylesheet" href="!${assetAddress('/assets/reference.css')}">
  </head>
  <body>
    <header class="chosen">
      <a href="/developer/apps/${app.id}">Back to the app</a>
      <p>!${whatToDo({ app, issuer })}</p>
    </header>
    <script id="api-reference" type="application/json" data-configuration="${configuration({ app, issuer })}"></script>
    <script src="${referencePath}/js/scalar.js"></script>
  </body>
</html>
`

function whatToDo({ app, issuer }: TryView): string {
  if (app.disabled_at !== null) return html`<strong>${app.name}</strong> is disabled, so it gets no tokens.`
  if (!app.public) {
    return html`<strong>${app.name}</strong> is selected. Under Authentication, type its secret and press Authorize.`
  }
  return ownRedirect(app, issuer) === undefined
    ? html`<strong>${app.name}</strong> is public. To get a token here, add ${returnAddress(issuer)} to its redirect URIs.`
    : html`<strong>${app.name}</strong> is selected. Under Authentication, press Authorize and allow it as a merchant.`
}

/** A redirect URI on this server: the reference's script can read the code from an address of its own origin only. */
const ownRedirect = ({ redirect_uris }: App, issuer: string): string | undefined =>
  redirect_uris.find(uri => new URL(uri).origin === new URL(issuer).origin)

const returnAddress = (issuer: string): string => new URL(`${referencePath}/`, issuer).href

function configuration({ app, issuer }: TryView): string {
  const flow = (grant: GrantType) => ({
    'x-scalar-client-id': app.id,
    selectedScopes: splitScope(app.scope).filter(scope => allowedForGrant(scope, grant)),
  })
  const redirect = ownRedirect(app, issuer)
  const flows = {
    // The reference offers only the flows that the app can use.
    clientCredentials: app.public ? { 'x-scalar-ignore': true } : flow('client_credentials'),
    authorizationCode:
      redirect === undefined && !app.public
        ? { 'x-scalar-ignore': true }
        : {
            ...flow('authorization_code'),
            'x-usePkce': 'SHA-256',
            'x-scalar-redirect-uri': redirect ?? returnAddress(issuer),
          },
  }
  const chosen = {
    ...referenceConfiguration,
    url: `/developer/apps/${app.id}/try/openapi.json`,
    authentication: { preferredSecurityScheme: 'oauth2', securitySchemes: { oauth2: { flows } } },
  }
  // Scalar decodes entities in the attribute's value a second time, so the value must not contain any.
  return JSON.stringify(chosen).replaceAll('&', '\\u0026')
}
