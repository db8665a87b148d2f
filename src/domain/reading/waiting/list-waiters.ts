import type { SequenceMove } from '../../../storage/port/index.ts'
import { isStorageFault } from '../../storage-fault.ts'
import type { Waiter } from './waiter.ts'

/** A request that waits for a change of a list. */
export interface ListWaiter extends Waiter {
  list: WaitingList
}

interface WaitingList {
  /** Requests of one token for one list share a question. */
  key: string
  /** The list's version that the client knows. */
  known: string
  /** The current version; throws when access has ended. */
  read(): Promise<string>
  /** Whether a change that this process has stored is one of the list. */
  isDueAfter(move: SequenceMove): boolean
}

export function createListWaiters() {
  const all = new Set<ListWaiter>()
  /** Those that came since the last question. */
  const unasked = new Set<ListWaiter>()

  return {
    all,
    add(waiter: ListWaiter): void {
      all.add(waiter)
      unasked.add(waiter)
    },
    remove(waiter: ListWaiter): void {
      all.delete(waiter)
      unasked.delete(waiter)
    },
    wake(move: SequenceMove): void {
      for (const waiter of all) if (waiter.list.isDueAfter(move)) waiter.end(performance.now())
    },
    /** Reads the lists, or those of new requests only. One after the other: each takes a connection, or the event loop. */
    async ask(isChanged: boolean): Promise<void> {
      const of = isChanged ? [...all] : [...unasked]
      unasked.clear()
      let fault: unknown = null
      for (const waiters of Map.groupBy(of, ({ list }) => list.key).values()) {
        const [{ list }] = waiters as [ListWaiter]
        try {
          const version = await list.read()
          for (const waiter of waiters) if (waiter.list.known !== version) waiter.end(performance.now())
        } catch (error) {
          // The next tick asks again, as for stores; meanwhile the other lists have their turn.
          if (isStorageFault(error)) fault = error
          else for (const waiter of waiters) waiter.end(null, error)
        }
        await new Promise(setImmediate)
      }
      if (fault !== null) throw fault
    },
  }
}
