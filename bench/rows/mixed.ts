import { setTimeout as sleep } from 'node:timers/promises'
import { demoRecords } from '../../src/demo/records.ts'
import type { Rows } from '../bench.ts'
import { orderRequests, tokenFor, withReader } from '../load/client.ts'
import { usual } from '../data.ts'
import { putUnderLoad } from '../load/load.ts'
import { type Paced, paced } from '../load/paced.ts'
import { finished, tillgate } from '../process.ts'
import { atMost, median } from '../row.ts'
import { push } from './ingest.ts'

const ordersPerSecond = 2000
const requestSize = 500
/** A p99 depends on few requests, so this takes more rounds. */
const rounds = 3

/** Readers at half of what the server can do, first alone and then while orders come in. */
export const mixed: Rows = async function* (bench) {
  const data = await bench.data(usual(bench.orders))
  const app = ['app', 'create', '--name', 'Tills', '--scope', 'platform.write', '--json']
  const tills = JSON.parse(await finished(tillgate(app, data.env)))
  yield await withReader(data, async ({ base, pids, peak }, headers) => {
    const requests = orderRequests(data, 100, headers)
    await putUnderLoad({ base, requests, pids }, 2)
    const { rate: most } = await putUnderLoad({ base, requests, pids }, bench.seconds)
    const seconds = bench.quick ? 5 : 10
    const pace = { base, requests, rate: most / 2, seconds }
    const token = await tokenFor(base, tills)
    // Not alternating: the database keeps working for a while after the last write.
    const idleTurns: Paced[] = []
    for (let round = 0; round < rounds; round++) idleTurns.push(await paced(pace))
    const busyTurns: (Paced & { written: number })[] = []
    for (let round = 0; round < rounds; round++) {
      const writing = write(base, token, { stores: data.stores, seconds: seconds + 2, round })
      await sleep(1000)
      const reading = await paced(pace)
      busyTurns.push({ ...reading, written: await writing })
    }
    const [idle, busy] = [middle(idleTurns), middle(busyTurns)]
    const time = ({ p50, p99 }: Paced) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`
    return {
      id: 'mixed',
      name: `reads at half load while ${ordersPerSecond} orders/s come in`,
      ratio: busy.p99 / idle.p99,
      aim: atMost(3),
      memory_mb: peak(),
      figure: `${time(busy)} at ${Math.round(pace.rate)} pages/s, ${Math.round(busy.written)} orders/s written`,
      limit: `${time(idle)} without; the ratio is of the p99; medians of ${rounds} rounds`,
      measured: { rate: pace.rate, idleTurns, busyTurns },
    }
  })
}

/** The round with the median p99. */
function middle<Turn extends Paced>(turns: readonly Turn[]): Turn {
  const p99 = median(turns.map(turn => turn.p99))
  return turns.find(turn => turn.p99 === p99) as Turn
}

/** Writes new orders at an even pace; returns how many a second were written. */
async function write(
  base: string,
  token: string,
  { stores, seconds, round }: { stores: number; seconds: number; round: number },
): Promise<number> {
  const total = ordersPerSecond * seconds
  const lines: string[] = []
  const end = Math.floor(Date.now() / 1000)
  for (const record of demoRecords({ stores, orders: total, days: 3, seed: 2, end })) {
    if (record.kind === 'order') lines.push(JSON.stringify({ ...record, id: `new-${round}-${record.id}` }))
  }
  const began = performance.now()
  for (let at = 0; at < total; at += requestSize) {
    const due = began + (at / ordersPerSecond) * 1000
    await sleep(Math.max(0, due - performance.now()))
    await push(base, token, lines.slice(at, at + requestSize).join('\n'))
  }
  return total / ((performance.now() - began) / 1000)
}
