import { html } from 'ghtml'
import { allowedForGrant, type GrantType, splitScope } from '../../../contract/scopes.ts'
import { referenceConfiguration, referencePath } from '../../../http/ops/reference.ts'
import type { App } from '../../../storage/port/index.ts'
import { assetAddress } from '../../assets/asset-files.ts'

interface TryView {
  app: App
  issuer: string
}

/** The whole page is Scalar's, but for a bar above it. Scalar starts from the attribute, without script in the page. */
export const tryPage = ({ app, issuer }: TryView): string => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Try the API as ${app.name} · Tillgate</title>
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
  if (app.disabled_at !== null) return html`<strong>${app.name}</strong> is disabled: it gets no token.`
  if (!app.public) {
    return html`<strong>${app.name}</strong> is chosen. Under Authentication, type its secret and press Authorize.`
  }
  return ownRedirect(app, issuer) === undefined
    ? html`<strong>${app.name}</strong> is public. To get a token here, add ${returnAddress(issuer)} to its redirect URIs.`
    : html`<strong>${app.name}</strong> is chosen. Under Authentication, press Authorize and allow it as a merchant.`
}

/** Where the reference itself takes a code: any page of this server, for a script may read the address of no other. */
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
    // A flow that the app cannot use is not offered.
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
    authentication: { preferredSecurityScheme: 'oauth2', securitySchemes: { oauth2: { flows } } },
  }
  // Scalar reads `&quot;` in the attribute's value as a quote once more.
  return JSON.stringify(chosen).replaceAll('&', '\\u0026')
}
