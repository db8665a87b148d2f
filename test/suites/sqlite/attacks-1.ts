import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('attacks', { part: 1, of: 2 }))
