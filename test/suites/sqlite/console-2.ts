import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('console', { part: 2, of: 2 }))
