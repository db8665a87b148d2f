import { after } from 'node:test'
import { openStorage } from '../../src/storage/open.ts'
import { temporaryFolder } from './folder.ts'
import { storageSuite } from './suite.ts'

const folder = temporaryFolder()
after(() => folder.remove())

storageSuite('SQLite in memory', () => openStorage(':memory:'))
storageSuite('SQLite on disk', () => openStorage(folder.newFile()))
