import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('attacks', { part: 2, of: 2 }))
