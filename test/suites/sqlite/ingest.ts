import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', [...filesOf('ingest'), ...filesOf('lib')])
