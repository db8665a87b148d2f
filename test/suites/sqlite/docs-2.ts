import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('docs', { part: 2, of: 2 }))
