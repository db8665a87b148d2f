import type { Cursor } from '../../port/index.ts'
import { createRoads, dayOf, postBefore, type Road, stride } from '../../shared/roads.ts'

/** Where the entries of one list stand, found by walking. To be called within a read. */
export interface Walk {
  /** The sort key of the entry `steps` behind the first one of that time or later; null when the list ends before. */
  from(time: number, steps: number): Cursor | null
  /** The same behind the entry `key`. */
  behind(key: Cursor, steps: number): Cursor | null
  /** How many entries there are from `key` on before the time. */
  count(key: Cursor, time: number): number
}

/** Finds the beginning of a page that is deep in its window. Signposts are put up on the way there. */
export function createSignposts() {
  const roads = createRoads()
  return {
    /** The sort key of the entry `offset` behind the first one at or after `from`; null past the end. */
    find(list: string, version: number, walk: Walk, from: number, offset: number): Cursor | null {
      const start = dayOf(from)
      const name = `${list} ${start}`
      const known = roads.find(name)
      const road: Road = known?.version === version ? known : { version, posts: [] }
      const { posts } = road
      const before = posts.length

      function extend(): boolean {
        const last = posts.at(-1)
        const next = last ? walk.behind(last, stride) : walk.from(start, 0)
        if (next) posts.push(next)
        return next !== null
      }

      // The last post before `from`, and from there how far it is.
      while (Number(posts.at(-1)?.[0] ?? start - 1) < from && extend());
      const at = postBefore(road, from)
      const target = (at < 0 ? 0 : at * stride + walk.count(posts[at] as Cursor, from)) + offset
      while (posts.length <= Math.floor(target / stride) && extend());
      if (posts.length !== before) roads.keep(name, road)
      const nearest = posts[Math.floor(target / stride)]
      return nearest ? walk.behind(nearest, target % stride) : null
    },
  }
}
