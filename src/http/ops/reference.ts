/** Settings of the API reference page, here and in the developer's pages: it loads from this server only. */

export const referencePath = '/docs'

/** Scalar's configuration. It turns off everything that would load from or send to another server. */
export const referenceConfiguration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
  hideClientButton: true,
}

/** `inline`: the hash of the one inline script that the page may run. */
export const referenceHeaders = (inline?: string): Record<string, string> => ({
  'content-security-policy':
    `default-src 'self'; script-src 'self'${inline === undefined ? '' : ` 'sha256-${inline}'`}; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; " +
    "form-action 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
})
