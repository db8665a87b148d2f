import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', ['client/mirror.test.ts', 'client/reading.test.ts'])
