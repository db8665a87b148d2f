/** What the API reference begins with. */
export const beginning = (
  issuer: string,
): string => `Stores, orders and items of a point-of-sale platform, for the apps that merchants allow to read them.

**New here?** [Getting started in 10 minutes](${issuer}/docs/guides/getting-started): register an app, let a merchant allow it, read
the first orders, receive webhooks.

| guide | about |
|---|---|
| [Keeping a complete copy](${issuer}/docs/guides/sync) | the loop that misses no order, and the proof that it did not |
| [Webhooks](${issuer}/docs/guides/webhooks) | know within a second that a store has changed |
| [Errors and retries](${issuer}/docs/guides/errors-and-retries) | which requests to repeat, and when |
| [tillgate-client](${issuer}/docs/guides/client) | the library and the commands for Node, Deno, Bun and browsers |
| [Sandbox](${issuer}/docs/guides/sandbox) | requests that fail on demand, to test retries |
| [Before you go live](${issuer}/docs/guides/going-live) | a checklist |

Every response of \`/integration\` and \`/platform\` is an envelope whose \`status.ack\` equals the HTTP status; every error has a
[code](${issuer}/docs/guides/errors) from a closed set. Times are UTC, amounts are cents, ids are 64-bit integers.`

/** For browsers without script, and for readers that show none: the page itself is drawn by its script. */
export const withoutScript = `<noscript>
      <h1>Tillgate API</h1>
      <p>The API reference needs JavaScript. The <a href="/docs/guides">guides</a> and <a href="/openapi.json">openapi.json</a> do not.</p>
    </noscript>`
