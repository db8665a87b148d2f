import type { Switches } from '../../port/index.ts'
import type { WriteAudit } from './audit.ts'
import type { Database } from '../connection/database.ts'

export function createSwitches(db: Database, writeAudit: WriteAudit): Switches {
  const get = db.prepare<{ is_on: number }>('select is_on from switches where name = ?')
  const put = db.prepare(
    'insert into switches (name, is_on) values (?, ?) on conflict (name) do update set is_on = excluded.is_on',
  )
  return {
    isOn: (name, unset = false) =>
      db.query(() => {
        const row = get.get(name)
        return row ? row.is_on === 1 : unset
      }),
    set: (name, on, audit) =>
      db.write(() => {
        put.run(name, on ? 1 : 0)
        writeAudit(audit)
      }),
  }
}
