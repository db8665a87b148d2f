import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('scale', { part: 1, of: 2 }))
