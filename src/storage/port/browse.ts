import type { Account } from './accounts.ts'
import type { App } from './apps.ts'
import type { MerchantStore } from './lists.ts'

/** A page of a list that operators browse. */
export interface Search {
  /** Part of a name or an email, whatever its case (of A to Z), or a whole id. Empty: everything. */
  text: string
  offset: number
  limit: number
}

export interface Found<Row> {
  rows: Row[]
  /** How many the search finds in all. */
  total: number
}

export interface FoundApp extends App {
  owner_email: string | null
}

export interface FoundStore extends MerchantStore {
  merchant: string | null
}

/** What is there, for operators to look through. It may read whole tables: not for a path that many take. */
export interface Browse {
  /** By email. */
  accounts(search: Search): Promise<Found<Account>>
  /** By name, then id; also found by the email of the account that registered it. */
  apps(search: Search): Promise<Found<FoundApp>>
  /** By id; also found by the email of its merchant. */
  stores(search: Search): Promise<Found<FoundStore>>
}
