import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', ['client/conform.test.ts', 'client/mirror.test.ts', 'client/reading.test.ts'])
