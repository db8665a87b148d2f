import { openPostgres } from '../../src/storage/postgres/index.ts'
import { emptiedDatabase } from '../helpers/postgres.ts'
import { storageSuite } from './suite.ts'

storageSuite('PostgreSQL', async () => openPostgres(await emptiedDatabase(), { database_pool: 4 }))
