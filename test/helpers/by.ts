import type { By } from '../../src/domain/audit/audit.ts'

/** Who acts in the tests. */
export const byTest: By = {
  actor_kind: 'command',
  actor_id: null,
  actor_name: 'test',
  address: null,
  request_id: null,
}
