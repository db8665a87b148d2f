import type { ChangeKind } from '../types.ts'
import type { Copy } from './copy.ts'
import type { Sync } from './sync.ts'

/** Reports each kind that the copy holds of a store and that the app may no longer read, once. */

export interface UnreadableReport {
  /** Writes a line for each kind that has become unreadable since the last call. */
  update(): void
  /** Whether there was one at the last call. */
  isEmpty(): boolean
}

/** The line stays readable for an app with thousands of stores. */
const mostNamed = 10

const scopes = { order: 'integration.order', item: 'integration.inventory' }

export function createUnreadableReport(
  copy: Copy,
  sync: Sync,
  write: (line: string) => void,
): UnreadableReport {
  const known = { order: new Set<bigint>(), item: new Set<bigint>() }

  function updateKind(kind: ChangeKind): void {
    const unreadable = copy.storeIds().filter(store_id => sync.unreadable(store_id).includes(kind))
    const added = unreadable.filter(store_id => !known[kind].has(store_id))
    known[kind] = new Set(unreadable)
    if (added.length === 0) return
    const named = added.slice(0, mostNamed).join(', ')
    const others = added.length > mostNamed ? ` and ${added.length - mostNamed} more` : ''
    const stores = `${added.length === 1 ? 'store' : 'stores'} ${named}${others}`
    write(`the ${kind}s of ${stores} are no longer followed: the access of the app lacks ${scopes[kind]}`)
  }

  return {
    update() {
      updateKind('order')
      updateKind('item')
    },
    isEmpty: () => known.order.size + known.item.size === 0,
  }
}
