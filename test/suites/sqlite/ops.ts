import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', [...filesOf('ops'), ...filesOf('client')])
