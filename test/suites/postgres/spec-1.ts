import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', filesOf('spec', { part: 1, of: 2 }))
