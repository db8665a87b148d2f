import { filesOf, runFiles } from '../../helpers/suite.ts'

await runFiles('sqlite', [...filesOf('flows'), ...filesOf('oauth'), ...filesOf('webhooks')])
