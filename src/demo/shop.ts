import type { Channel } from './channels.ts'
import type { Inventory } from './inventory.ts'
import type { Place } from './places.ts'
import type { Random } from './random.ts'
import type { Seconds } from '../lib/clock.ts'

/** The store that orders are generated for. */
export interface Shop {
  id: number
  place: Place
  inventory: Inventory
  random: Random
  /** Nothing happens after this time. */
  end: Seconds
}

/** The given facts of an order before it is generated. */
export interface Arrival {
  id: string
  parent_id: string | null
  order_number: string
  created_at: Seconds
  /** The store's local day. */
  day: number
  channel: Channel
}
