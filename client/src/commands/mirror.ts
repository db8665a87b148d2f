import { statSync } from 'node:fs'
import type { Copy } from '../mirror/copy.ts'
import { follow } from '../mirror/follow.ts'
import { createHeads } from '../mirror/heads.ts'
import { openNdjson } from '../mirror/ndjson.ts'
import { createProgress, type Progress } from '../mirror/progress.ts'
import { openSqlite } from '../mirror/sqlite.ts'
import { createSync } from '../mirror/sync.ts'
import { createUnreadableReport } from '../mirror/unreadable.ts'
import { clientOf, type Command, isLocal, jsonOption, UsageError, urlOption, wholeNumber } from './command.ts'

export const mirror: Command = {
  name: 'mirror',
  summary:
    'Copies every store, order and item into a file; stopped anywhere, it goes on when it is started again.',
  options: {
    url: urlOption,
    to: { value: 'FILE', help: 'the file to write', required: true },
    format: { value: 'FORMAT', help: 'sqlite (Node 22.13 or newer) or ndjson', default: 'sqlite' },
    follow: { help: 'keep the copy current until it is stopped' },
    parallel: { value: 'N', help: 'stores that are read at the same time', default: '4' },
    count: { value: 'N', help: 'entries of a page', default: '1000' },
    json: jsonOption,
  },
  async run(options, context) {
    const { signal, stdout, stderr } = context
    const parallel = wholeNumber(options['parallel'], 'parallel', [1, 64])
    const count = wholeNumber(options['count'], 'count', [1, 2000])
    const client = clientOf(options, context)
    const copy = await openCopy(String(options['to']), String(options['format']))
    let isCurrent = false
    let canReadAll = true
    try {
      let progress: Progress | null = null
      const sync = createSync({
        client,
        copy,
        signal,
        parallel,
        count,
        isLocal: isLocal(options['url']),
        // Behind the first answer: with --follow the server may be down at the start.
        async onStores() {
          if (!stderr.isTTY || isCurrent || progress !== null) return
          progress = createProgress(stderr, (await createHeads(client).read(0, signal)) ?? [])
        },
        onPage: (...page) => isCurrent || progress?.onPage(...page),
      })
      const unreadable = createUnreadableReport(
        copy,
        sync,
        line => void stderr.write(`tillgate-client: ${line}\n`),
      )
      const onCurrent = () => {
        if (!isCurrent) progress?.end()
        isCurrent = true
        unreadable.update()
        canReadAll = unreadable.isEmpty()
      }
      if (options['follow']) {
        const onTrouble = (error: Error, seconds: number) =>
          void stderr.write(`tillgate-client: ${error.message}; trying again in ${Math.ceil(seconds)} s\n`)
        await follow({ sync, copy, heads: createHeads(client), signal, onCurrent, onTrouble })
      } else {
        await sync.stores()
        await sync.changes(copy.storeIds())
        onCurrent()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      // A new feed or store may have begun a walk that has not ended.
      isCurrent &&= copy.storeIds().every(store_id => copy.position(store_id).complete)
      const counts = copy.counts()
      copy.close()
      if (isCurrent || signal.aborted) print(counts)
    }
    if (!canReadAll) return 1
    return isCurrent ? 0 : 130

    function print(counts: ReturnType<Copy['counts']>): void {
      const { stores, orders, items } = counts
      const requests = client.requests()
      const complete = isCurrent && canReadAll
      if (options['json']) stdout.write(`${JSON.stringify({ stores, orders, items, requests, complete })}\n`)
      else {
        const what = canReadAll
          ? 'not complete yet: start it again'
          : 'not complete: the app may not read all of it'
        const state = complete ? 'complete' : what
        stdout.write(`${stores} stores, ${orders} orders, ${items} items; ${requests} requests; ${state}\n`)
      }
    }
  },
}

function openCopy(file: string, format: string): Promise<Copy> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--to ${file} is a folder`)
  if (format === 'sqlite') return openSqlite(file)
  if (format === 'ndjson') return openNdjson(file)
  throw new UsageError(`--format was "${format}"; it must be sqlite or ndjson`)
}
