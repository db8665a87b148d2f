import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', ['cli/database.test.ts', 'cli/doctor.test.ts', 'cli/import.test.ts'])
