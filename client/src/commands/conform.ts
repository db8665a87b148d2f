import { writeFileSync } from 'node:fs'
import { createContext } from '../conform/context.ts'
import { checkRule, junit, type Result, rules } from '../conform/run.ts'
import { type Command, credentialsOf, dayOf, jsonOption, UsageError, urlOf, urlOption } from './command.ts'

export const conform: Command = {
  name: 'conform',
  summary:
    'Checks a server against the specification, read only. A complete run needs the scopes integration.store, .order and .inventory.',
  options: {
    url: urlOption,
    store: { value: 'ID', help: 'the store to look at (default: one that has orders)' },
    day: { value: 'DAY', help: 'a UTC day with orders, yyyy-MM-dd (default: one of the last 30)' },
    rule: { value: 'RULE', help: 'only rules whose name begins so' },
    junit: { value: 'FILE', help: 'write the results as JUnit XML too' },
    json: jsonOption,
  },
  async run(options, context) {
    const { signal, stdout } = context
    const url = urlOf(options['url'])
    const { rule: prefix = '', store } = options as Record<string, string | undefined>
    const day = options['day'] === undefined ? undefined : dayOf(options['day'], 'day')
    const chosen = rules.filter(({ id }) => id.startsWith(prefix))
    if (chosen.length === 0) throw new UsageError(`no rule begins with "${prefix}"`)
    const checks = await createContext({
      ...credentialsOf(context),
      baseUrl: url,
      storeId: store,
      day,
      signal,
    })
    const results: Result[] = []
    for (const each of chosen) {
      const result = await checkRule(each, checks)
      signal.throwIfAborted()
      results.push(result)
      if (!options['json']) stdout.write(`${lineOf(result)}\n`)
    }
    const count = (kind: Result['result']) => results.filter(({ result }) => result === kind).length
    const [passed, failed, skipped] = [count('pass'), count('fail'), count('skip')]
    const requests = checks.requests()
    const tooLittle = skipped > results.length / 2
    if (typeof options['junit'] === 'string') writeFileSync(options['junit'], junit(url, results))
    if (options['json']) {
      stdout.write(
        `${JSON.stringify({ url, passed, failed, skipped, requests, too_little_data: tooLittle, rules: results })}\n`,
      )
    } else {
      stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped; ${requests} requests\n`)
      if (tooLittle)
        stdout.write(
          `too little data to judge: ${skipped} of ${results.length} rules skipped; ${remedyFor(results)}\n`,
        )
    }
    return failed === 0 && !tooLittle ? 0 : 1
  },
}

const remedyFor = (results: readonly Result[]): string =>
  results.some(({ result, seen }) => result === 'skip' && seen.startsWith('the app has no scope'))
    ? 'use an app with the scopes integration.store, integration.order and integration.inventory'
    : 'name a store and a day with orders (--store, --day)'

const lineOf = ({ section, rule, expected, seen, result }: Result): string =>
  `${result.padEnd(4)}  ${section.padEnd(5)}  ${rule}  expected: ${expected}; seen: ${seen.replace(/\s+/g, ' ')}`
