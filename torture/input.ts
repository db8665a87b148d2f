import { inputCampaign } from '../test/attacks/input/campaign.ts'
import { createDatabase } from './database.ts'
import type { Outcome, Scenario, Trial } from './trial.ts'

/** The long version of test/attacks/input.test.ts. */
export const input: Scenario = {
  name: 'input',
  engines: ['sqlite', 'postgres'],
  rounds: 1_000_000,
  share: 8,
  run,
}

async function run({ engine, random, rounds, goesOn, say }: Trial): Promise<Outcome> {
  const database = await createDatabase(engine)
  try {
    const { sent, statuses, broken } = await inputCampaign(
      { seed: random.between(0, 2 ** 31), most: rounds, goesOn, say },
      // Errors only: the short version checks the log line of each request.
      { database: database.url, config: { log_level: 'error' } },
    )
    const came = Object.entries(statuses).sort(([, a], [, b]) => b - a)
    return {
      tried: `${sent} requests, generated from the OpenAPI document and the list of pages by strangers, other tenants, the platform and the operator`,
      found: `no 5xx, no hang, nothing of another tenant, every answer well-formed (${came.map(([status, times]) => `${status}: ${times}`).join(', ')})`,
      broken: [...broken, ...database.problems()],
    }
  } finally {
    await database.remove()
  }
}
