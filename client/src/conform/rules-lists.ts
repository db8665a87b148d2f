import type { Answer, ConformContext, Json, List } from './context.ts'
import { Breach, Skipped } from './outcomes.ts'
import { judge, needStore, type Rule, rule, shown } from './rule.ts'

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

function envelopeProblem({ status, json, headers }: Answer): string | null {
  const block = json?.status
  if (!/^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? ''))
    return 'Content-Type is not JSON'
  if (typeof block !== 'object' || block === null) return 'no status block'
  // Seconds, not milliseconds.
  if (!Number.isInteger(block.timestamp) || block.timestamp < 1e9 || block.timestamp > 1e11) {
    return `timestamp is ${String(block.timestamp)}`
  }
  if (block.ack !== status) return `ack is ${String(block.ack)}, the HTTP status ${status}`
  if (!('data' in json)) return 'no data'
  if (status === 200) return block.errors === null ? null : `errors is ${JSON.stringify(block.errors)}`
  const { errors } = block
  const isSaid = typeof errors === 'string' || (typeof errors === 'object' && errors !== null)
  return isSaid ? null : `errors is ${JSON.stringify(errors)}`
}

function judgeEnvelope(answer: Answer): string {
  const problem = envelopeProblem(answer)
  if (problem !== null) throw new Breach(`${problem}: ${shown(answer)}`)
  return `${answer.status}, ack ${answer.json.status.ack}`
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
    async (context, name) => {
      const [plain, explicit] = [
        await context.entries(name),
        await context.entries(name, { index: 0, count: 100 }),
      ]
      const isSame = idsOf(name, plain).join() === idsOf(name, explicit).join()
      return judge(
        isSame && plain.length <= 100,
        `${plain.length} entries, ${explicit.length} with index=0 and count=100`,
      )
    },
  ),
  ...forLists('2.2', 'paging.count', 'at most count entries', async (context, name) => {
    await needEntries(context, name, 2)
    const one = await context.entries(name, { count: 1 })
    return judge(one.length === 1, `${one.length} with count=1`)
  }),
  ...forLists('2.2', 'paging.index', 'index=1 continues where index=0 ended', async (context, name) => {
    const [, second] = idsOf(name, await needEntries(context, name, 2))
    const [found] = idsOf(name, await context.entries(name, { index: 1, count: 1 }))
    return judge(found === second, `entry ${found}, the second one is ${second}`)
  }),
  ...forLists(
    '2.2',
    'paging.last',
    'after a page shorter than count there is none',
    async (context, name) => {
      let index = 0
      let page = await context.entries(name, { count: 100 })
      while (page.length >= 100 && index < 50)
        page = await context.entries(name, { index: ++index, count: 100 })
      if (page.length >= 100) throw new Skipped('more than 5000 entries')
      const next = await context.entries(name, { index: index + 1, count: 100 })
      return judge(next.length === 0, `${page.length} on page ${index}, ${next.length} on the next`)
    },
  ),
  ...forLists(
    '2.2',
    'paging.whole',
    'pages of any size give the same entries, each once',
    async (context, name) => {
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
    },
  ),
  ...forLists('7', 'paging.invalid', '422 for an index or count that is no number', async (context, name) => {
    for (const query of [{ index: 'x' }, { count: 'x' }]) {
      const answer = await context.list(name, query)
      judge(answer.status === 422, `${JSON.stringify(query)}: ${shown(answer)}`)
    }
    return '422'
  }),
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
]
