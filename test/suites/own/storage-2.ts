import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('storage', { part: 2, of: 2 }))
