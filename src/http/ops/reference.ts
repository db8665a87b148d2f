/** The page that shows the API, wherever it is opened from: what it may do, and that it stays among ourselves. */

export const referencePath = '/docs'

/** Of Scalar. Nothing that would load from, or send to, anywhere else. */
export const referenceConfiguration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
  hideClientButton: true,
}

/** `inline`: the hash of the one script that may stand in the page. */
export const referenceHeaders = (inline?: string): Record<string, string> => ({
  'content-security-policy':
    `default-src 'self'; script-src 'self'${inline === undefined ? '' : ` 'sha256-${inline}'`}; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; " +
    "form-action 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
})
