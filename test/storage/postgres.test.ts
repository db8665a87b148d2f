import { openPostgres } from '../../src/storage/postgres/index.ts'
import { emptyTables, migratedDatabase } from '../helpers/postgres.ts'
import { storageSuite } from './suite.ts'

let url: string

storageSuite(
  'PostgreSQL',
  async () => {
    url = await migratedDatabase()
    return openPostgres(url, { database_pool: 4 })
  },
  () => emptyTables(url),
)
