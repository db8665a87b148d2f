import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('console', { part: 1, of: 2 }))
