import { clientFactsOf, type ClientRow, clientFactsSql } from '../../shared/client-facts.ts'
import type { Clients } from '../../port/index.ts'
import type { Database } from '../connection/database.ts'

export function createClients(db: Database): Clients {
  const facts = db.prepare<ClientRow>(clientFactsSql('?1'))
  return {
    facts: id => db.query(() => clientFactsOf(id, facts.all(id))),
  }
}
