import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'faults/changes.test.ts',
  'faults/clock.test.ts',
  'faults/crash.test.ts',
  'faults/shutdown.test.ts',
  'faults/unusable-database.test.ts',
  'faults/usage.test.ts',
  'faults/webhooks.test.ts',
])
