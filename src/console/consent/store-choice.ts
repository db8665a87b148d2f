import type { Static } from 'typebox'
import { fold } from '../../lib/fold.ts'
import { parseInt64 } from '../../lib/int64.ts'
import type { MerchantStore } from '../../storage/port/index.ts'
import { form, text, texts } from '../fields.ts'

/** The state of a form with the merchant's stores, which the Find, All and None buttons change. */
export interface StoreChoice {
  picked: ReadonlySet<bigint>
  /** Only stores with this text in their name are shown. */
  search: string
}

/** A submitted form with a `choiceList`, whose buttons have the name `decision`. */
export interface SentChoice extends StoreChoice {
  /** The button that was pressed. */
  decision: string
  /** A store is not the merchant's: the form was tampered with, or the store was sold meanwhile. */
  foreign: boolean
}

/** `scopes`: what the consent page said that the app asks for. */
export const choiceForm = form({ decision: text, store: texts, store_search: text, scopes: text })

export function readChoice(
  { decision, store, store_search }: Omit<Static<typeof choiceForm>, 'scopes'>,
  stores: readonly MerchantStore[],
): SentChoice {
  const own = new Set(stores.map(({ id }) => id))
  const sent = store.map(parseInt64)
  return {
    picked: new Set(sent.filter((id): id is bigint => id !== null && own.has(id))),
    search: store_search.trim().slice(0, 200),
    decision,
    foreign: sent.some(id => id === null || !own.has(id)),
  }
}

const tools = ['find', 'all', 'none']

/** One of the list's own buttons was pressed: the page is shown again, without a decision. */
export const isTool = ({ decision }: SentChoice): boolean => tools.includes(decision)

/** All and None apply to the stores that match the search; other picked stores stay picked. */
export function useTool(sent: SentChoice, stores: readonly MerchantStore[]): StoreChoice {
  const picked = new Set(sent.picked)
  for (const store of stores) {
    if (!isFound(store, sent.search)) continue
    if (sent.decision === 'all') picked.add(store.id)
    if (sent.decision === 'none') picked.delete(store.id)
  }
  return { picked, search: sent.search }
}

/** The name contains every word of the search, without case and accents. */
export const isFound = ({ name }: Pick<MerchantStore, 'name'>, search: string): boolean =>
  fold(search)
    .split(/\s+/)
    .every(word => fold(name).includes(word))
