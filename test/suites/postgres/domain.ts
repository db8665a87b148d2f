import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'domain/sales.property.test.ts',
  'domain/usage-figures.test.ts',
  'domain/usage-recorder.test.ts',
  'ingest/ingest.test.ts',
  'ingest/pool.test.ts',
])
