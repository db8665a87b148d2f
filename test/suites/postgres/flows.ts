import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'cli/database.test.ts',
  'cli/doctor.test.ts',
  'cli/import.test.ts',
  'console/store-data.test.ts',
  'domain/sales.property.test.ts',
  'domain/usage-figures.test.ts',
  'domain/usage-recorder.test.ts',
  'domain/waiting.test.ts',
  'flows/authorization-code.test.ts',
  'flows/connected-apps.test.ts',
  'ingest/ingest.test.ts',
  'ingest/pool.test.ts',
  'oauth/idempotency.test.ts',
  'oauth/revocation-race.test.ts',
  'oauth/token-families.test.ts',
  'webhooks/leases.test.ts',
  'webhooks/delivery.test.ts',
  'webhooks/nodes.test.ts',
  'webhooks/scopes.test.ts',
])
