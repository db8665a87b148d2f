import type { Seconds } from '../../lib/clock.ts'
import type { Account } from './accounts.ts'
import type { App } from './apps.ts'
import type { MerchantStore } from './lists.ts'

/** A page of a list for operators. */
export interface Search {
  /** Part of a name or an email, ignoring case and accents, or a whole id. Empty: everything. */
  text: string
  offset: number
  limit: number
}

export interface Found<Row> {
  rows: Row[]
  /** The number of all rows that match. */
  total: number
}

export interface FoundApp extends App {
  owner_email: string | null
}

export interface FoundStore extends MerchantStore {
  merchant: string | null
}

interface StoreSearch extends Search {
  /** Only the stores that this app may read now; null: all. */
  app_id: string | null
}

export interface StoreDetail extends FoundStore {
  /** The newest created_at and updated_at of its orders. */
  last_order_at: Seconds | null
  last_change_at: Seconds | null
  /** The newest number of its sequence; 0 before the first change. */
  seq: number
}

/** An app that may read a store now, and the account that allowed it. */
export interface StoreReader {
  app_id: string
  app_name: string
  app_disabled_at: Seconds | null
  /** Null: linked by the operator. */
  account_id: string | null
  account_email: string | null
  allowed_at: Seconds
  activated_at: Seconds | null
}

/** The stores that an app may read now, and the consents behind them. */
export interface AppReach {
  stores: number
  /** Whose stores these are. */
  owners: number
  /** Who allowed the app. */
  merchants: number
  /** The operator linked some of the stores. */
  linked: boolean
}

export interface Totals {
  stores: number
  apps: number
  disabled_apps: number
  merchants: number
  developers: number
  operators: number
  disabled_accounts: number
}

/** Searches for operators. They may read whole tables, so they are not for frequent requests. */
export interface Browse {
  /** By email. */
  accounts(search: Search): Promise<Found<Account>>
  /** By name, then id; also found by the email of the account that registered it. */
  apps(search: Search): Promise<Found<FoundApp>>
  /** By id; also found by the email of its merchant. */
  stores(search: StoreSearch): Promise<Found<FoundStore>>
  /** The same from this id on and without the total, for a walk through all of them. */
  storesFrom(id: bigint, search: Pick<Search, 'text' | 'limit'>): Promise<FoundStore[]>
  store(id: bigint): Promise<StoreDetail | null>
  /** By the app's name, then its id. */
  readersOf(store_id: bigint): Promise<StoreReader[]>
  reachOf(app_id: string): Promise<AppReach>
  totals(): Promise<Totals>
  /** The highest number in the sequences of all stores; null without a change. Reads every store. */
  newestSeq(): Promise<number | null>
}
