/**
 * On every page: nothing loads from elsewhere, no script runs but our one file, nobody frames it, no address leaks in a
 * referrer. Browsers hold the redirects behind a form to form-action too, so the consent page names where its form leads.
 */
export const securityHeaders = (formTargets: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
})
