import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('scale', { part: 2, of: 2 }))
