import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('spec', { part: 2, of: 2 }))
