import { onPostgres } from '../helpers/engine.ts'
import { section } from '../helpers/section.ts'

await section('5-bearer', () => import('./5-bearer.ts'))
await section('5.2-authorize', () => import('./5.2-authorize.ts'))
await section('5.3-lifecycle', () => import('./5.3-lifecycle.ts'))
await section('5.3-token-errors', () => import('./5.3-token-errors.ts'))
await section('5.3-token', () => import('./5.3-token.ts'))

// What is decided before the database is asked.
if (!onPostgres) {
  await section('5.1-scopes', () => import('./5.1-scopes.ts'))
  await section('5.2-redirect-uri', () => import('./5.2-redirect-uri.ts'))
  await section('5.3-pkce', () => import('./5.3-pkce.ts'))
}
