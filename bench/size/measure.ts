import { openStorage } from '../../src/storage/open.ts'
import { withServer } from '../load/client.ts'
import { memoryOf } from '../process.ts'
import { timeCalls } from './calls.ts'
import { timeLists } from './lists.ts'
import { comparePages, pageLimit } from './pages.ts'
import { compareRequests, type Side, timeIngest } from './requests.ts'
import { benchStores, type Shape } from './shape.ts'

export interface DataSet {
  database: string
  shape: Shape
}

const parts = ['pages', 'lists', 'calls', 'requests', 'ingest'] as const

/** Prints the figures of both sets side by side, as a table of Markdown. */
export async function measure(small: DataSet, large: DataSet, only: string): Promise<void> {
  const isWanted = (part: (typeof parts)[number]) => part.includes(only)
  if (isWanted('calls')) {
    print(
      'call of the storage',
      await timeCalls(small.database, small.shape),
      await timeCalls(large.database, large.shape),
    )
  }
  await withSide(small, one =>
    withSide(large, async other => {
      if (isWanted('pages')) await printPages({ ...small, ...one }, { ...large, ...other })
      if (isWanted('lists'))
        print('request', await timeLists(one.base, small.shape), await timeLists(other.base, large.shape))
      if (isWanted('ingest')) {
        await timeIngest(one, 20)
        await timeIngest(other, 20)
        print(
          'batch',
          new Map([['100 orders', await timeIngest(one, 50)]]),
          new Map([['100 orders', await timeIngest(other, 50)]]),
        )
      }
      if (isWanted('requests')) await printRequests(one, other)
      console.log(`\nresident memory: ${memoryOf(one.pids[0] ?? 0)} and ${memoryOf(other.pids[0] ?? 0)} MB`)
    }),
  )
}

async function withSide<T>({ database }: DataSet, use: (side: Side) => Promise<T>): Promise<T> {
  const storage = await openStorage(database)
  const store = await storage.browse.store(BigInt(benchStores[0] as number))
  await storage.close()
  const env = { TILLGATE_DATABASE: database, PORT: '0' }
  return withServer(env, served => use({ ...served, end: store?.last_order_at ?? 0 }))
}

function print(what: string, small: ReadonlyMap<string, number>, large: ReadonlyMap<string, number>): void {
  console.log(`\n| ${what} | small, ms | large, ms |\n|---|---|---|`)
  for (const [name, ms] of large) console.log(`| ${name} | ${round(small.get(name))} | ${round(ms)} |`)
}

async function printPages(small: DataSet & Side, large: DataSet & Side): Promise<void> {
  console.log('\n| page | small, ms | large, ms | |\n|---|---|---|---|')
  for await (const [name, one, other] of comparePages(small, large)) {
    const isSlow = other > pageLimit
    console.log(`| ${name} | ${round(one)} | ${round(other)} | ${isSlow ? '**slow**' : ''} |`)
  }
}

async function printRequests(small: Side, large: Side): Promise<void> {
  console.log('\n| request | small, 1/s | large, 1/s | time | CPU time |\n|---|---|---|---|---|')
  for await (const { name, small: one, large: other, ratio, cpu_ratio } of compareRequests(small, large, 1)) {
    const ratios = [ratio, cpu_ratio].map(each => each?.toFixed(2) ?? '')
    console.log(`| ${name} | ${Math.round(one)} | ${Math.round(other)} | ${ratios.join(' | ')} |`)
  }
}

const round = (ms: number | undefined): string => (ms === undefined ? '' : ms.toFixed(ms < 10 ? 1 : 0))
