import { LRUCache } from 'lru-cache'
import type { Cursor } from '../port/index.ts'

/** Entries from one signpost to the next: so many are skipped in some 20 µs. A page that begins nearer is walked to. */
export const stride = 256

/** Some 40,000 posts of usual ids. */
const mostBytes = 4 * 1024 * 1024

/** Roads begin with a day (UTC), so that many windows share one. */
export const dayOf = (time: number): number => Math.floor(time / 86_400) * 86_400

/** The sort keys of entry 0, 256, 512, … of a list from a time on, as far as anyone has asked. */
export interface Road {
  /** That of the store's orders, which the road is right for. */
  version: number
  posts: Cursor[]
}

/**
 * Signposts along the lists of orders. Databases skip entries one by one, and 20,000 of them take longer than a page:
 * from a signpost nearby it is never far. What is remembered holds for one version of the store's orders and is asked
 * for by it, so it is never wrong.
 */
export function createRoads() {
  const roads = new LRUCache<string, Road>({
    maxSize: mostBytes,
    sizeCalculation: (road, name) => bytesOf(road) + 2 * name.length,
  })
  return {
    find: (name: string): Road | null => roads.get(name) ?? null,
    keep: (name: string, road: Road): void => void roads.set(name, road),
    drop: (name: string): void => void roads.delete(name),
  }
}

/** At most: a post is a list of a time and an id, whose characters may take two bytes. */
const bytesOf = ({ posts }: Road): number =>
  posts.reduce((sum, post) => sum + 64 + 2 * String(post.at(-1)).length, 64)

/** The last post that stands before a time; -1 when none does. */
export const postBefore = ({ posts }: Road, time: number): number =>
  posts.findLastIndex(([at]) => Number(at) < time)
