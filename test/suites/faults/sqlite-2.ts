import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('faults', { part: 2, of: 2 }))
