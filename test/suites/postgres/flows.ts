import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'flows/authorization-code.test.ts',
  'flows/connected-apps.test.ts',
  'flows/usage.test.ts',
  'oauth/idempotency.test.ts',
  'oauth/revocation-race.test.ts',
  'oauth/token-families.test.ts',
  'console/store-data.test.ts',
])
