import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('faults', { part: 1, of: 2 }))
