import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'cli/database.test.ts',
  'cli/doctor.test.ts',
  'cli/import.test.ts',
  'domain/sales.property.test.ts',
  'domain/usage-figures.test.ts',
  'domain/usage-recorder.test.ts',
  'ingest/ingest.test.ts',
  'ingest/pool.test.ts',
  'webhooks/claims.test.ts',
  'webhooks/delivery.test.ts',
  'webhooks/nodes.test.ts',
  'webhooks/scopes.test.ts',
])
