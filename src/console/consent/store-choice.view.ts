import type { Seconds } from '../../lib/clock.ts'
import type { MerchantStore } from '../../storage/port/index.ts'
import { type Choice, choiceList } from '../parts/form/choice-list.ts'
import { formatTime } from '../parts/format/time.ts'
import { isFound, type StoreChoice } from './store-choice.ts'

interface StoreList {
  stores: readonly MerchantStore[]
  choice: StoreChoice
  /** Since when the app is allowed each store; null when it was never allowed any, so that nothing changes. */
  allowed: ReadonlyMap<bigint, Seconds> | null
}

/** Which stores an app may access. What is picked stays in the list whatever is searched for: it is sent by its box. */
export function storeList({ stores, choice: { picked, search }, allowed }: StoreList): string {
  const names = Map.groupBy(stores, ({ name }) => name)
  const toChoice = ({ id, name, timezone }: MerchantStore): Choice => {
    const since = allowed?.get(id)
    return {
      value: String(id),
      label: name,
      checked: picked.has(id),
      // Two stores of one name are told apart by what else is known of them.
      hint: (names.get(name)?.length ?? 0) > 1 ? `Store ${id}, ${timezone}` : undefined,
      ...(since !== undefined && {
        ticked: `Allowed since ${formatTime(since, timezone, 'day')}`,
        unticked: 'It loses this store',
      }),
      ...(since === undefined && allowed !== null && { ticked: 'New for this app' }),
    }
  }
  return choiceList({
    legend: 'Which stores may it access?',
    name: 'store',
    noun: 'store',
    choices: stores.filter(store => picked.has(store.id) || isFound(store, search)).map(toChoice),
    served: { button: 'decision', search, total: stores.length },
  })
}
