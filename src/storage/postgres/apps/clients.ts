import { clientFactsOf, type ClientRow, clientFactsSql } from '../../shared/client-facts.ts'
import type { Clients } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

const sql = clientFactsSql('$1')

export function createClients(db: Database): Clients {
  return {
    facts: async id => clientFactsOf(id, await db.query<ClientRow>(sql, [id])),
  }
}
