import type { Seconds } from '../../lib/clock.ts'
import type { MerchantStore } from '../../storage/port/index.ts'
import { type Choice, choiceList } from '../parts/form/choice-list.ts'
import { formatTime } from '../parts/format/time.ts'
import { isFound, type StoreChoice } from './store-choice.ts'

interface StoreList {
  stores: readonly MerchantStore[]
  choice: StoreChoice
  /** When the app was allowed each store; null when the merchant has not allowed the app before. */
  allowed: ReadonlyMap<bigint, Seconds> | null
  /** The stores that the app reads by an operator's link, whatever the merchant picks. */
  linked: ReadonlySet<bigint>
}

/** The stores that an app may access. Picked stores are always listed, because the form sends their boxes. */
export function storeList({ stores, choice: { picked, search }, allowed, linked }: StoreList): string {
  const names = Map.groupBy(stores, ({ name }) => name)
  const toChoice = ({ id, name, timezone }: MerchantStore): Choice => {
    return {
      value: String(id),
      label: name,
      checked: picked.has(id),
      // Two stores with the same name need their id and time zone.
      hint: (names.get(name)?.length ?? 0) > 1 ? `Store ${id}, ${timezone}` : undefined,
      ...(linked.has(id) ? linkedHints : ownHints(allowed, id, timezone)),
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

const linkedHints = {
  ticked: 'Your platform’s operator connected this store too',
  unticked: 'It can read this store anyway: your platform’s operator connected it',
}

function ownHints(allowed: StoreList['allowed'], id: bigint, timezone: string) {
  const since = allowed?.get(id)
  if (since === undefined) return allowed === null ? {} : { ticked: 'New for this app' }
  return {
    ticked: `Allowed since ${formatTime(since, timezone, 'day')}`,
    unticked: 'Loses access to this store',
  }
}
