import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', [
  'attacks/changes.test.ts',
  'attacks/codes.test.ts',
  'attacks/input.test.ts',
  'attacks/tenancy.test.ts',
])
