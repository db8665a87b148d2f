import { onPostgres } from '../helpers/engine.ts'
import { section } from '../helpers/section.ts'

await section('7-errors', () => import('./7-errors.ts'))
await section('7-order-of-checks', () => import('./7-order-of-checks.ts'))
await section('8-limits', () => import('./8-limits.ts'))

// What is decided before the database is asked.
if (!onPostgres) {
  await section('9-versioning', () => import('./9-versioning.ts'))
}
