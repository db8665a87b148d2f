import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', filesOf('spec'))
