import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('storage', { part: 1, of: 2 }))
