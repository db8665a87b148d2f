import { openSqlite } from '../mirror/sqlite.ts'
import { createSync } from '../mirror/sync.ts'
import { createVerify, isGone, type StoreResult } from '../mirror/verify.ts'
import { stringifyExact } from '../exact-json.ts'
import { clientOf, type Command, dayOf, jsonOption, UsageError, urlOption } from './command.ts'

export const verify: Command = {
  name: 'verify',
  summary:
    'Brings the copy up to date and compares it with the receipts of the server: complete, or the days that differ.',
  options: {
    url: urlOption,
    to: { value: 'FILE', help: 'the file that mirror wrote', required: true },
    since: {
      value: 'DAY',
      help: 'compare only the days from this UTC day on (default: all since 1970, and earlier ones of the copy)',
    },
    repair: { help: 'read the stores that differ again from the beginning' },
    json: jsonOption,
  },
  async run(options, context) {
    const { signal, stdout } = context
    const since = options['since'] === undefined ? null : dayOf(options['since'], 'since')
    if (since !== null && Date.parse(since) > Date.now())
      throw new UsageError(`--since ${since} lies in the future`)
    const client = clientOf(options, context)
    const copy = await openSqlite(String(options['to']), { create: false })
    try {
      const sync = createSync({ client, copy, signal, parallel: 1, count: 1000 })
      const verifyStore = createVerify({ since, client, copy, sync, signal })
      await sync.stores()
      const results: StoreResult[] = []
      for (const store_id of copy.storeIds()) {
        try {
          let result = await verifyStore(store_id)
          if (result.differ.length > 0 && options['repair']) {
            copy.restart(store_id, copy.position(store_id))
            result = await verifyStore(store_id)
          }
          results.push(result)
        } catch (error) {
          if (!isGone(error)) throw error
          copy.remove(store_id)
        }
      }
      const bad = results
        .map(({ store_id, differ, unreadable }) => ({
          store_id,
          days: [...differ, ...unreadable.map(kind => `${kind}s (no access)`)],
        }))
        .filter(({ days }) => days.length > 0)
      const { stores, orders, items } = copy.counts()
      const complete = bad.length === 0
      if (options['json']) {
        const requests = client.requests()
        stdout.write(`${stringifyExact({ complete, stores, orders, items, requests, differ: bad })}\n`)
      } else if (complete) {
        const what = since === null ? 'complete' : `complete since ${since}`
        stdout.write(`${what}: ${stores} stores, ${orders} orders, ${items} items\n`)
      } else {
        for (const { store_id, days } of bad) stdout.write(`store ${store_id} differs: ${days.join(', ')}\n`)
        const canRepair = results.some(({ differ }) => differ.length > 0)
        stdout.write(`not complete${canRepair ? ': "verify --repair" reads these stores again' : ''}\n`)
      }
      return complete ? 0 : 1
    } finally {
      copy.close()
    }
  },
}
