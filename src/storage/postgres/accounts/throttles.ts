import type { Throttles } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

export function createThrottles(db: Database): Throttles {
  return {
    async hit(key, now, expires_at) {
      const [row] = await db.query<{ count: number }>(
        `insert into throttles (key, expires_at, count) values ($1, $2, 1)
         on conflict (key) do update set
           count = case when throttles.expires_at > $3 then throttles.count + 1 else 1 end,
           expires_at = case when throttles.expires_at > $3 then throttles.expires_at else excluded.expires_at end
         returning count`,
        [key, expires_at, now],
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
