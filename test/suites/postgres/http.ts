import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'http/added-scopes.test.ts',
  'http/bearer.test.ts',
  'http/changes.test.ts',
  'http/errors-faults.test.ts',
  'http/histories.test.ts',
  'http/etag-restore.test.ts',
  'http/large-pages.test.ts',
  'http/records.test.ts',
  'http/token-endpoint.test.ts',
  'http/usage.test.ts',
  'http/waiting.test.ts',
])
