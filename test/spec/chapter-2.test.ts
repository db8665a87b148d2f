import { onPostgres } from '../helpers/engine.ts'
import { section } from '../helpers/section.ts'

await section('2.2-datetimes', () => import('./2.2-datetimes.ts'))
await section('2.2-paging', () => import('./2.2-paging.ts'))
await section('2.3-store', () => import('./2.3-store.ts'))
await section('2.4-order', () => import('./2.4-order.ts'))
await section('2.4-types', () => import('./2.4-types.ts'))
await section('2.5-item', () => import('./2.5-item.ts'))

// What is decided before the database is asked.
if (!onPostgres) {
  await section('2.1-envelope', () => import('./2.1-envelope.ts'))
  await section('2.2-parameters', () => import('./2.2-parameters.ts'))
  await section('2.4-codes', () => import('./2.4-codes.ts'))
}
