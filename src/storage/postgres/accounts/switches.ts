import type { Switches } from '../../port/index.ts'
import { writeAudit } from './audit.ts'
import type { Database } from '../connection/database.ts'

export function createSwitches(db: Database): Switches {
  return {
    async isOn(name, unset = false) {
      const [row] = await db.query<{ is_on: boolean }>('select is_on from switches where name = $1', [name])
      return row?.is_on ?? unset
    },
    set: (name, on, audit) =>
      db.write(async tx => {
        tx.send(
          `insert into switches (name, is_on) values ($1, $2)
           on conflict (name) do update set is_on = excluded.is_on`,
          [name, on],
        )
        writeAudit(tx, audit)
      }),
  }
}
