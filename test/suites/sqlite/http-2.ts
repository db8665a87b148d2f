import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('http', { part: 2, of: 2 }))
