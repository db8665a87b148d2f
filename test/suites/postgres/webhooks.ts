import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', ['webhooks/delivery.test.ts', 'webhooks/nodes.test.ts'])
