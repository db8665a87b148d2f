import { runFiles } from '../../helpers/suite.ts'

await runFiles('postgres', ['webhooks/claims.test.ts', 'webhooks/delivery.test.ts', 'webhooks/nodes.test.ts'])
