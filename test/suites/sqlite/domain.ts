import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', [...filesOf('domain'), ...filesOf('demo'), ...filesOf('ingest'), ...filesOf('lib')])
