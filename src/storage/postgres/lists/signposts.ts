import type { Cursor } from '../../port/index.ts'
import { createRoads, dayOf, postBefore, stride } from '../../shared/roads.ts'
import type { Database } from '../connection/database.ts'
import type { ListShape } from './list-sql.ts'

/** A window spans two days, so it ends on the third at the latest. */
const roadLength = 3 * 86_400

/** As far as one statement walks, in entries: some 50 ms. */
const longestRoad = 100_000

/** A way to the beginning of a page that is right while the list has this version. */
export interface Shortcut {
  version: number
  /** The entry to walk from, and how far, not counting those between `post` and the window. */
  start: Cursor
  skip: number
  post: Cursor
}

/** Signposts along one list of orders. They are put up behind the answer to the first page that would have used them. */
export function createSignposts(db: Database, shape: ListShape) {
  const roads = createRoads()
  const underWay = new Set<string>()
  const sql = roadSql(shape)
  const nameOf = (store_id: bigint, from: number) => `${store_id} ${dayOf(from)}`

  async function build(name: string, store_id: bigint, from: number): Promise<void> {
    const start = dayOf(from)
    const [version, posts] = await db.rawRow(sql, [store_id, start, start + roadLength, longestRoad])
    if (version && posts) roads.keep(name, { version: Number(version), posts: JSON.parse(String(posts)) })
  }

  return {
    /** To the entry `offset` behind the first one at or after `from`; null when none is known. */
    find(store_id: bigint, from: number, offset: number): Shortcut | null {
      const road = roads.find(nameOf(store_id, from))
      if (road === null) return null
      const at = postBefore(road, from)
      const steps = Math.max(0, at) * stride + offset
      const start = road.posts[Math.floor(steps / stride)]
      if (start === undefined) return null
      return { version: road.version, start, skip: steps % stride, post: road.posts[at] ?? [from, ''] }
    },
    forget: (store_id: bigint, from: number): void => roads.drop(nameOf(store_id, from)),
    /** Sees to it that there will be one. Never fails: without it pages are only slower. */
    prepare(store_id: bigint, from: number): void {
      const name = nameOf(store_id, from)
      if (underWay.has(name)) return
      underWay.add(name)
      build(name, store_id, from)
        .catch(() => {})
        .finally(() => underWay.delete(name))
    },
  }
}

/** $1 store, $2 first time, $3 last time, $4 limit. The version, and every so many-th sort key, as JSON. */
function roadSql({ table, order, version }: ListShape): string {
  const [time] = order
  return `select (select ${version} from stores where id = $1),
    (select json_agg(json_build_array(${time}, id) order by ${time}, id) from (
      select ${time}, id, row_number() over (order by ${time}, id) as place from (
        select ${time}, id from ${table} where store_id = $1 and ${time} >= $2 and ${time} <= $3
        order by ${time}, id limit $4
      ) as walked
    ) as numbered where place % ${stride} = 1)`
}
