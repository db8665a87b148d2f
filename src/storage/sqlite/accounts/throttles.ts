import type { Throttles } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

export function createThrottles(db: Database): Throttles {
  const hit = db.prepare<{ count: number }>(
    `insert into throttles (key, expires_at, count) values (?1, ?2, 1)
     on conflict (key) do update set
       count = case when expires_at > ?3 then count + 1 else 1 end,
       expires_at = case when expires_at > ?3 then expires_at else excluded.expires_at end
     returning count`,
  )
  const count = db.prepare<{ count: number }>('select count from throttles where key = ? and expires_at > ?')
  const clear = db.prepare('delete from throttles where key = ?')

  return {
    hit: (key, now, expires_at) => db.write(() => hit.get(key, expires_at, now)?.count ?? 0),
    count: (key, now) => db.query(() => count.get(key, now)?.count ?? 0),
    clear: key => db.write(() => void clear.run(key)),
  }
}
