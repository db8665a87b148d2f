import type { Throttles } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

export function createThrottles(db: Database): Throttles {
  return {
    async hit(key, now, window) {
      // Windows begin at multiples of their length, so a caller knows when the current one ends.
      const [row] = await db.query<{ count: number }>(
        `insert into throttles (key, expires_at, count) values ($1, $2, 1)
         on conflict (key) do update set
           count = case when throttles.expires_at > $3 then throttles.count + 1 else 1 end,
           expires_at = case when throttles.expires_at > $3 then throttles.expires_at else excluded.expires_at end
         returning count`,
        [key, now - (now % window) + window, now],
      )
      return row?.count ?? 0
    },
    async count(key, now) {
      const [row] = await db.query<{ count: number }>(
        'select count from throttles where key = $1 and expires_at > $2',
        [key, now],
      )
      return row?.count ?? 0
    },
    async clear(key) {
      await db.query('delete from throttles where key = $1', [key])
    },
  }
}
