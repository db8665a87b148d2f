import { section } from '../helpers/section.ts'

section('3-states', () => import('./3-states.ts'))
section('4.1-stores', () => import('./4.1-stores.ts'))
section('4.2-activate', () => import('./4.2-activate.ts'))
section('4.3-order-pages', () => import('./4.3-order-pages.ts'))
section('4.3-orders', () => import('./4.3-orders.ts'))
section('4.4-items', () => import('./4.4-items.ts'))
section('4.5-sales', () => import('./4.5-sales.ts'))
