import { emptyTables, migratedDatabase } from '../helpers/postgres.ts'
import { openStorage } from '../helpers/storage.ts'
import { storageSuite } from './suite.ts'

let url: string

storageSuite(
  'PostgreSQL',
  async () => {
    url = await migratedDatabase()
    return openStorage(url, { database_pool: 4 })
  },
  () => emptyTables(url),
)
