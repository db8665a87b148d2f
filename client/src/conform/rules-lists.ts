import { formatSeconds, secondsOf } from '../time.ts'
import type { ConformContext, Json, List } from './context.ts'
import { Breach, Skipped } from './outcomes.ts'
import { judge, judgeEnvelope, needStore, persistent, type Rule, rule, shown, statuses } from './rule.ts'

/** Sections 2.1, 2.2 and 8: the envelope, and the pages of every list. */

const idsOf = (name: List['name'], entries: readonly Json[]): string[] =>
  entries.map(entry => String(name === 'sales' ? entry.item_id : entry.id))

/** The rule for each of the four lists. */
const forLists = (
  section: string,
  id: string,
  expected: string,
  check: (context: ConformContext, name: List['name']) => Promise<string>,
): Rule[] =>
  (['stores', 'orders', 'items', 'sales'] as const).map(name =>
    rule(section, `${id}.${name}`, `${name}: ${expected}`, context => {
      if (name !== 'stores') needStore(context)
      return check(context, name)
    }),
  )

/** The ids of all entries, in pages of 100, each once. */
async function idsOfPages(
  context: ConformContext,
  name: List['name'],
  query: object = {},
): Promise<string[]> {
  const ids = new Set<string>()
  for (let index = 0; index < 50; index++) {
    const page = idsOf(name, await context.entries(name, { ...query, index, count: 100 }))
    for (const id of page) {
      if (ids.has(id)) throw new Breach(`${id} again on page ${index} of 100`)
      ids.add(id)
    }
    if (page.length < 100) return [...ids]
  }
  throw new Skipped('more than 5000 entries')
}

async function needEntries(context: ConformContext, name: List['name'], least: number): Promise<Json[]> {
  const entries = await context.entries(name, { count: 5 })
  if (entries.length < least) throw new Skipped(`only ${entries.length} ${name}`)
  return entries
}

export const listRules: Rule[] = [
  ...forLists(
    '2.1',
    'envelope.success',
    'timestamp, ack 200, errors null and an array as data',
    async (context, name) => {
      const answer = await context.list(name)
      judge(answer.status === 200 && Array.isArray(answer.json?.data), shown(answer))
      return judgeEnvelope(answer)
    },
  ),
  ...forLists(
    '7',
    'envelope.error',
    'an error in the envelope, ack the HTTP status, errors not null',
    async (context, name) => judgeEnvelope(await context.list(name, {}, { token: null })),
  ),
  rule('7', 'envelope.422', '422 in the envelope, with errors', async context =>
    judgeEnvelope(
      await context.list('orders', { store_id: undefined, start_date: undefined, end_date: undefined }),
    ),
  ),
  ...forLists(
    '2.2',
    'paging.default',
    'without index and count the first page, of at most 100',
    persistent(async (context, name) => {
      const [plain, explicit] = [
        await context.entries(name),
        await context.entries(name, { index: 0, count: 100 }),
      ]
      const isSame = idsOf(name, plain).join() === idsOf(name, explicit).join()
      return judge(
        isSame && plain.length <= 100,
        `${plain.length} entries, ${explicit.length} with index=0 and count=100`,
      )
    }),
  ),
  ...forLists('2.2', 'paging.count', 'at most count entries', async (context, name) => {
    await needEntries(context, name, 2)
    const one = await context.entries(name, { count: 1 })
    return judge(one.length === 1, `${one.length} with count=1`)
  }),
  ...forLists(
    '2.2',
    'paging.index',
    'index=1 continues where index=0 ended',
    persistent(async (context, name) => {
      const [, second] = idsOf(name, await needEntries(context, name, 2))
      const [found] = idsOf(name, await context.entries(name, { index: 1, count: 1 }))
      return judge(found === second, `entry ${found}, the second one is ${second}`)
    }),
  ),
  ...forLists(
    '2.2',
    'paging.last',
    'each entry once, and after a page shorter than count there is none',
    persistent(async (context, name) => {
      const ids = await idsOfPages(context, name)
      const next = await context.entries(name, { index: Math.floor(ids.length / 100) + 1, count: 100 })
      judge(next.length === 0, `${next.length} after the last page, ${ids.length} before`)
      const whole = await context.entries(name, { count: 2000 })
      return judge(
        whole.length >= Math.min(2000, ids.length),
        `${ids.length} in pages of 100, ${whole.length} with count=2000`,
      )
    }),
  ),
  ...forLists(
    '2.2',
    'paging.whole',
    'pages of any size give the same entries, each once',
    persistent(async (context, name) => {
      const whole = idsOf(name, await context.entries(name, { count: 12 }))
      const parts: string[] = []
      for (let index = 0; index < 4; index++)
        parts.push(...idsOf(name, await context.entries(name, { index, count: 3 })))
      if (whole.length < 2) throw new Skipped(`only ${whole.length} ${name}`)
      const isOnce = new Set(whole).size === whole.length
      return judge(
        isOnce && whole.join() === parts.join(),
        `${whole.length} in one page, ${new Set(parts).size} in pages of 3`,
      )
    }),
  ),
  ...forLists('7', 'paging.invalid', '422 for an index or count that is no number', (context, name) =>
    statuses([422], {
      'index=x': () => context.list(name, { index: 'x' }),
      'count=x': () => context.list(name, { count: 'x' }),
    }),
  ),
  rule('8', 'limits.count', 'orders: count=2000 is allowed', async context => {
    needStore(context)
    const answer = await context.list('orders', { count: 2000 })
    return judge(answer.status === 200, shown(answer).slice(0, 3))
  }),
  rule('8', 'limits.window', 'orders: a window of exactly 2 days is allowed', async context => {
    needStore(context)
    const answer = await context.list('orders', {
      start_date: '2026-01-01 00:00:00',
      end_date: '2026-01-03 00:00:00',
    })
    return judge(answer.status === 200, shown(answer).slice(0, 80))
  }),
  rule(
    '4.3',
    'orders.days',
    'two windows of a day hold the orders of their window of two',
    persistent(async context => {
      needStore(context)
      const { start_date } = context.lists.find(({ name }) => name === 'orders')?.query ?? {}
      // Both windows end or begin here: whether a window includes its ends is open.
      const middle = formatSeconds(secondsOf(String(start_date)) + 86_400)
      // Read before and after the days, so that a new order is no difference.
      const before = await idsOfPages(context, 'orders')
      const first = await idsOfPages(context, 'orders', { end_date: middle })
      const second = await idsOfPages(context, 'orders', { start_date: middle })
      const after = new Set(await idsOfPages(context, 'orders'))
      const union = new Set([...first, ...second])
      const seen = `${first.length} and ${second.length} orders in a day, ${after.size} in two`
      judge(before.every(id => union.has(id)) && [...union].every(id => after.has(id)), seen)
      if (first.length === 0 || second.length === 0) throw new Skipped(`${seen}; each day needs orders`)
      return seen
    }),
  ),
]
