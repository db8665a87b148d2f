import { bakery } from './menus/bakery.ts'
import { bistro } from './menus/bistro.ts'
import { cafe } from './menus/cafe.ts'
import { deli } from './menus/deli.ts'
import { hawker } from './menus/hawker.ts'
import type { Menu } from './menus/menu.ts'
import { australia, britain, germany, newYork, type Regime, singapore } from './taxes.ts'

/** The demo's stores: location, menu and opening hours. A demo with more stores repeats them. */
export interface Place {
  name: string
  timezone: string
  menu: Menu
  regime: Regime
  hours: Hours
  /** The store has table service beside the counter. */
  tables: boolean
  /** The number of orders relative to a store with 1. */
  popularity: number
  /** Cash is rounded to this many cents. */
  cash_step: 1 | 5
  /** Share of customers at tables or with deliveries who tip. */
  tipping: number
  surcharge: Surcharge | null
}

/** The orders with a service surcharge, and its share of the net amount. */
interface Surcharge {
  rate: number
  on: 'sundays' | 'tables'
}

export interface Hours {
  /** Local minute of the day at which the store opens. */
  opens: number
  /** The relative number of orders in each half hour from then on; the store closes after the last. */
  busy: readonly number[]
  /** The relative number of orders on each weekday, from Sunday. */
  week: readonly [number, number, number, number, number, number, number]
}

export const slotMinutes = 30

const hour = (hours: number) => hours * 60

/** 6:30 to 16:00, a morning rush and a small one at noon. */
const mornings: Hours = {
  opens: hour(6.5),
  busy: [3, 6, 9, 10, 9, 7, 6, 5, 5, 5, 6, 7, 7, 6, 4, 3, 3, 2, 1],
  week: [1.6, 0.8, 0.9, 0.9, 1, 1.2, 1.7],
}

/** 7:00 to 18:00. */
const bakeryHours: Hours = {
  opens: hour(7),
  busy: [6, 8, 9, 8, 6, 4, 4, 4, 5, 6, 8, 8, 6, 4, 3, 3, 3, 4, 4, 3, 2, 1],
  week: [1.4, 0.8, 0.9, 0.9, 1, 1.1, 1.8],
}

/** 9:00 to 19:00, busiest after work. */
const shopping: Hours = {
  opens: hour(9),
  busy: [2, 3, 4, 5, 5, 6, 7, 7, 6, 5, 4, 4, 4, 5, 6, 8, 9, 8, 5, 3],
  week: [1.2, 0.8, 0.8, 0.9, 1.1, 1.3, 1.9],
}

/** 11:30 to 23:00, lunch and dinner with a quiet afternoon between. */
const dining: Hours = {
  opens: hour(11.5),
  busy: [3, 7, 9, 8, 5, 3, 1, 1, 1, 1, 2, 4, 6, 9, 11, 12, 11, 9, 7, 5, 3, 2, 1],
  week: [1.2, 0.6, 0.8, 0.9, 1.1, 1.7, 1.9],
}

export const places: readonly [Place, ...Place[]] = [
  {
    name: 'Harbour Street Café',
    timezone: 'Australia/Sydney',
    menu: cafe,
    regime: australia,
    hours: mornings,
    tables: false,
    popularity: 1.3,
    cash_step: 5,
    tipping: 0.03,
    surcharge: { rate: 0.1, on: 'sundays' },
  },
  {
    // An offset with half an hour, to expose code that assumes whole hours.
    name: 'Market Hall Deli',
    timezone: 'Australia/Adelaide',
    menu: deli,
    regime: australia,
    hours: shopping,
    tables: false,
    popularity: 1,
    cash_step: 5,
    tipping: 0,
    surcharge: null,
  },
  {
    name: 'Mulberry Street Bistro',
    timezone: 'America/New_York',
    menu: bistro,
    regime: newYork,
    hours: dining,
    tables: true,
    popularity: 1.1,
    cash_step: 1,
    tipping: 0.85,
    surcharge: null,
  },
  {
    name: 'Borough Bakery',
    timezone: 'Europe/London',
    menu: bakery,
    regime: britain,
    hours: bakeryHours,
    tables: false,
    popularity: 1,
    cash_step: 1,
    tipping: 0.02,
    surcharge: null,
  },
  {
    name: 'Marina Hawker House',
    timezone: 'Asia/Singapore',
    menu: hawker,
    regime: singapore,
    hours: dining,
    tables: true,
    popularity: 1.2,
    cash_step: 5,
    tipping: 0,
    surcharge: { rate: 0.1, on: 'tables' },
  },
  {
    name: 'Backstube Kreuzberg',
    timezone: 'Europe/Berlin',
    menu: bakery,
    regime: germany,
    hours: bakeryHours,
    tables: false,
    popularity: 0.8,
    cash_step: 1,
    tipping: 0.1,
    surcharge: null,
  },
]
