import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('storage', { part: 3, of: 3 }))
