import type { Static } from 'typebox'
import { parseInt64 } from '../../lib/int64.ts'
import type { MerchantStore } from '../../storage/port/index.ts'
import { form, text, texts } from '../fields.ts'

/** A form with a list of the merchant's stores, as it stands: also between two pages, when nothing is decided yet. */
export interface StoreChoice {
  picked: ReadonlySet<bigint>
  /** What the list is narrowed by. */
  search: string
}

/** What was sent by a form with `choiceList` in it, whose buttons are called `decision`. */
export interface SentChoice extends StoreChoice {
  /** The button that was pressed. */
  decision: string
  /** A store that is not among the merchant's: a form that was tampered with, or a store that was sold meanwhile. */
  foreign: boolean
}

export const choiceForm = form({ decision: text, store: texts, store_search: text })

export function readChoice(
  { decision, store, store_search }: Static<typeof choiceForm>,
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

/** The button was one of the list's own: it is shown again, and nothing is decided. */
export const isTool = ({ decision }: SentChoice): boolean => tools.includes(decision)

/** All and None mean the stores that are searched for; what was picked besides stays picked. */
export function useTool(sent: SentChoice, stores: readonly MerchantStore[]): StoreChoice {
  const picked = new Set(sent.picked)
  for (const store of stores) {
    if (!isFound(store, sent.search)) continue
    if (sent.decision === 'all') picked.add(store.id)
    if (sent.decision === 'none') picked.delete(store.id)
  }
  return { picked, search: sent.search }
}

/** Every word is in the name, whatever its case. */
export const isFound = ({ name }: Pick<MerchantStore, 'name'>, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every(word => name.toLowerCase().includes(word))
