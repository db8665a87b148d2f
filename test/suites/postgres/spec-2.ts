import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', filesOf('spec', { part: 2, of: 2 }))
