import type { ConformContext } from './context.ts'
import { Skipped } from './outcomes.ts'
import { judge, needStore, type Requests, type Rule, rule, shown, statuses } from './rule.ts'

/** Sections 4, 7 and 9: which stores, parameters and addresses a request may name. */

/** A store id that a token hardly has. */
const noStore = '9223372036854775807'

/** A request of the list with one parameter left out or changed. */
const without =
  (name: 'orders' | 'items' | 'sales', required: readonly string[]) =>
  async (context: ConformContext): Promise<string> => {
    needStore(context)
    const requests: Requests = {}
    for (const parameter of required) {
      requests[parameter] = () => context.list(name, { [parameter]: undefined })
    }
    return statuses([422], requests)
  }

const malformed =
  (name: 'orders' | 'items' | 'sales', values: readonly (readonly [string, string])[]) =>
  async (context: ConformContext): Promise<string> => {
    needStore(context)
    const requests: Requests = {}
    for (const [parameter, value] of values) {
      requests[`${parameter}=${value}`] = () => context.list(name, { [parameter]: value })
    }
    return statuses([422], requests)
  }

const dates = (parameter: string) =>
  ['2026-02-30 00:00:00', 'yesterday', '01/02/2026'].map(value => [parameter, value] as const)

export const parameterRules: Rule[] = [
  rule('4.1', 'stores.readable', 'the stores of the list may be read', async context => {
    const ids = (await context.entries('stores', { count: 20 })).map(({ id }) => String(id))
    if (ids.length === 0) throw new Skipped('the token has no store')
    const requests: Requests = {}
    for (const id of ids) requests[id] = () => context.list('items', { store_id: id })
    return statuses([200], requests)
  }),
  rule('7', 'store.unknown', '403 or 404 for a store that does not exist', async context => {
    needStore(context)
    const requests: Requests = {}
    for (const { name, scope } of context.lists.slice(1))
      if (context.scopes.has(scope)) requests[name] = () => context.list(name, { store_id: noStore })
    if (Object.keys(requests).length === 0) context.needScope('integration.order')
    return statuses([403, 404], requests)
  }),
  rule(
    '4.3',
    'orders.required',
    '422 without store_id, start_date or end_date',
    without('orders', ['store_id', 'start_date', 'end_date']),
  ),
  rule(
    '4.3',
    'orders.dates',
    '422 for dates that are none',
    malformed('orders', [...dates('start_date'), ...dates('end_date')]),
  ),
  rule(
    '4.3',
    'orders.store',
    '422 for a store_id that is no int64',
    malformed('orders', [
      ['store_id', 'x'],
      ['store_id', '9223372036854775808'],
    ]),
  ),
  rule('4.4', 'items.required', '422 without store_id', without('items', ['store_id'])),
  rule(
    '4.4',
    'items.dates',
    '422 for an updated_after that is none',
    malformed('items', dates('updated_after')),
  ),
  rule(
    '4.5',
    'sales.required',
    '422 without store_id, start_date or end_date',
    without('sales', ['store_id', 'start_date', 'end_date']),
  ),
  rule(
    '4.5',
    'sales.dates',
    '422 for dates that are none',
    malformed('sales', [...dates('start_date'), ...dates('end_date')]),
  ),
  rule('7', 'path.unknown', '404 for a path that does not exist', context =>
    statuses([404], { path: () => context.send('/integration/v1/nothing-here') }),
  ),
  // Not by `statuses`: the envelope of another version is its own.
  rule('9', 'path.version', 'the version is part of the path: another one is 404', async context => {
    const answer = await context.send('/integration/v99/stores')
    return judge(answer.status === 404, shown(answer))
  }),
]
