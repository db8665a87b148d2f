import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempt, DuePosition, Webhooks } from '../../storage/port/index.ts'

/** Attempts that end within so many milliseconds are recorded together, and how many at most. */
const gatherFor = 20
const maxTogether = 500
/** Deliveries in the log of an endpoint, and how many more there may be before it is cut. */
const keptDeliveries = 200
const trimEvery = 20

interface RecorderDeps {
  webhooks: Pick<Webhooks, 'settle' | 'trim'>
  /** Gets the positions whose store has moved since the attempt began. */
  moved(positions: readonly DuePosition[]): void
}

/** Records attempts, many in one transaction: one for each would hold up the ingest. */
export function createRecorder({ webhooks, moved }: RecorderDeps) {
  const ended: Attempt[] = []
  /** Attempts since the log of an endpoint was cut. */
  const logged = new Map<string, number>()
  let recording: Promise<void> | null = null

  async function recordAll(): Promise<void> {
    try {
      await sleep(gatherFor)
      while (ended.length > 0) {
        const attempts = ended.splice(0, maxTogether)
        moved(await webhooks.settle(attempts))
        await trim(attempts)
      }
    } finally {
      recording = null
    }
  }

  async function trim(attempts: readonly Attempt[]): Promise<void> {
    for (const { endpoint_id } of attempts) logged.set(endpoint_id, (logged.get(endpoint_id) ?? 0) + 1)
    const full = [...logged].filter(([, count]) => count >= trimEvery).map(([id]) => id)
    if (full.length === 0) return
    await webhooks.trim(full, keptDeliveries)
    for (const id of full) logged.delete(id)
  }

  return {
    /** Resolves when the attempt is recorded. */
    record(attempt: Attempt): Promise<void> {
      ended.push(attempt)
      recording ??= recordAll()
      return recording
    },
  }
}
