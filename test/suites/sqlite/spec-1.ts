import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('spec', { part: 1, of: 2 }))
