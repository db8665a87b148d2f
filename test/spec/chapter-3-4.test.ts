import { section } from '../helpers/section.ts'

await section('3-states', () => import('./3-states.ts'))
await section('4.1-stores', () => import('./4.1-stores.ts'))
await section('4.2-activate', () => import('./4.2-activate.ts'))
await section('4.3-order-pages', () => import('./4.3-order-pages.ts'))
await section('4.3-orders', () => import('./4.3-orders.ts'))
await section('4.4-items', () => import('./4.4-items.ts'))
await section('4.5-sales', () => import('./4.5-sales.ts'))
