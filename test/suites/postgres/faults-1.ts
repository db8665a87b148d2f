import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', filesOf('faults', { part: 1, of: 2 }))
