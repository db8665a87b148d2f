import { section } from '../helpers/section.ts'

section('7-errors', () => import('./7-errors.ts'))
section('7-order-of-checks', () => import('./7-order-of-checks.ts'))
section('8-limits', () => import('./8-limits.ts'))
section('9-versioning', () => import('./9-versioning.ts'))
