import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', filesOf('docs'))
