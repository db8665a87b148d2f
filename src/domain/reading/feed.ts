import { fail } from '../../errors.ts'
import { type ChangeKind, changeKinds } from '../../storage/port/index.ts'

/**
 * The text by which a client says which history its sequence numbers are from: the history's id, and the kinds that the
 * client has followed. Numbers of another history, or a kind that it has not followed so far, mean a new start at 0.
 */
export const feedOf = (history: string, kinds: readonly ChangeKind[]): string =>
  `${history}-${kinds.map(kind => kind[0]).join('')}`

/** Throws unless the feed is of this history and covers the kinds. */
export function checkFeed(feed: string, history: string, kinds: readonly ChangeKind[]): void {
  const letters = feed.slice(history.length + 1)
  const covered = changeKinds.filter(kind => letters.includes(kind[0] as string))
  if (feed !== feedOf(history, covered)) throw feedChanged('the feed is another one now')
  const missing = kinds.filter(kind => !covered.includes(kind))
  if (missing.length > 0) throw feedChanged(`the feed does not cover the kind ${missing.join(' and ')}`)
}

/** Throws when the client has seen a number that this database never gave. */
export function checkAfter(after: number, newest: number): void {
  if (after > newest) throw feedChanged(`after is ${after}, beyond the newest seq ${newest} of the store`)
}

const feedChanged = (reason: string) =>
  fail('feed_changed', `Read the store again from after=0 without a feed: ${reason}`)
