import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', filesOf('faults', { part: 2, of: 2 }))
