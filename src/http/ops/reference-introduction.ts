import { type Guide, guideAddress, guides } from './guides.ts'

/** What the API reference begins with. */
export const beginning = (
  issuer: string,
): string => `Stores, orders and items of a point-of-sale platform, for the apps that merchants allow to read them.

**New here?** Begin with the first of the guides.

| guide | about |
|---|---|
${guides.map(guide => row(issuer, guide)).join('\n')}

Every response of \`/integration\` and \`/platform\` is an envelope whose \`status.ack\` equals the HTTP status; every error has a
[code](${issuer}/docs/guides/errors) from a closed set. Times are UTC, amounts are cents, ids are 64-bit integers.`

const row = (issuer: string, guide: Guide): string =>
  `| [${guide.title}](${issuer}${guideAddress(guide)}) | ${guide.about} |`

/** For browsers without script, and for readers that show none: the page itself is drawn by its script. */
export const withoutScript = `<noscript>
      <h1>Tillgate API</h1>
      <p>The API reference needs JavaScript. The <a href="/docs/guides">guides</a> and <a href="/openapi.json">openapi.json</a> do not.</p>
    </noscript>`
