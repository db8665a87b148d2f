/** Settings of the API reference page, here and in the developer's pages: it loads from this server only. */

export const referencePath = '/docs'

/**
 * Scalar's own greys and method colours have too little contrast (WCAG 1.4.3), and its copy buttons within descriptions
 * no name (4.1.2): these are hidden, because the text can be selected. Its arrows are too small a target (2.5.8).
 */
const readableCss = `
.light-mode {
  --scalar-color-2: #4f5662;
  --scalar-color-3: #5c6470;
  --scalar-color-blue: #005f9e;
  --scalar-color-green: #006644;
  --scalar-color-orange: #8a4b00;
  --scalar-color-red: #b3261e;
  --scalar-color-yellow: #7a5b00;
  --scalar-color-purple: #6b3aa8;
}
.dark-mode {
  --scalar-color-2: #c2c8d2;
  --scalar-color-3: #aeb6c2;
  --scalar-color-blue: #7cc0ff;
  --scalar-color-green: #5fd3a0;
  --scalar-color-orange: #f2be78;
  --scalar-color-red: #ff9d94;
}
button.scalar-code-copy {
  display: none !important;
}
ul.endpoints,
.scalar-card-content:has(ul.endpoints) {
  max-height: none !important;
  overflow: visible !important;
}
button[aria-expanded][class~="p-0.75"] {
  padding: 4px !important;
}
`

/** Scalar's configuration. It turns off everything that would load from or send to another server. */
export const referenceConfiguration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
  hideClientButton: true,
  customCss: readableCss,
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
