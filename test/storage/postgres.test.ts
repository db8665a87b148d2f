import { openPostgres } from '../../src/storage/postgres/index.ts'
import { freshDatabase } from '../helpers/postgres.ts'
import { storageSuite } from './suite.ts'

storageSuite('PostgreSQL', async () => openPostgres(await freshDatabase(), { database_pool: 4 }))
