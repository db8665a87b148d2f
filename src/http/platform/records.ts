import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { RecordResult } from '../../contract/record.ts'
import { byApp } from '../../domain/audit/audit.ts'
import { resultOf } from '../../ingest/result.ts'
import { fail } from '../../errors.ts'
import { createMemoryBudget } from '../../lib/memory-budget.ts'
import { sendData } from '../reply/envelope.ts'
import { errorResponses, success } from '../reply/responses.ts'
import { admit } from '../admission/overload.ts'
import { type App, principalOf } from '../route.ts'
import type { PlatformDeps } from './deps.ts'
import { expand, limits, memory } from './body.ts'

const Lines = Type.String({
  description:
    'One store, item or order per line, each with its `kind`. The body may be sent with Content-Encoding: gzip',
  examples: ['{"kind":"store","id":1001,"name":"Harbour Street","timezone":"Australia/Sydney"}\n'],
})

const mediaTypes = ['application/x-ndjson', 'application/jsonl']

/** The platform pushes stores, items and orders. One request is one transaction. */
export function recordsRoute(
  app: App,
  { ingest, usage, waiting, delivery, requireScope }: PlatformDeps,
): void {
  const budget = createMemoryBudget({ ...memory, refuse: () => busy })
  // The handler reads the body as a stream.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(mediaTypes, (_request, body, done) => done(null, body))

  app.post(
    '/platform/v1/records',
    {
      schema: {
        operationId: 'writeRecords',
        tags: ['Platform'],
        summary: 'Write records',
        description:
          'Stores, items and orders, one JSON object per line, at most ' +
          `${limits.lines} lines and ${limits.expanded / 1_048_576} MiB. All are stored or none: a bad line is answered with ` +
          '422, which names every bad line. Sending the same records again changes nothing.',
        security: [{ oauth2: ['platform.write'] }],
        body: { content: Object.fromEntries(mediaTypes.map(type => [type, { schema: Lines }])) },
        response: {
          200: success(RecordResult, 'Stored: what has changed'),
          ...errorResponses(
            'TokenRejected',
            'ScopeInsufficient',
            'BodyTooLarge',
            'MediaTypeUnsupported',
            'RecordInvalid',
          ),
        },
      },
      ...requireScope('platform.write', { checkFirst: true }),
      // Its body arrives in the handler, at the pace of its sender.
      config: { admission: 'handler', media_types: mediaTypes },
    },
    async (request, reply) => {
      const body = request.body as Readable | undefined
      if (body === undefined) throw empty()
      const { app_id } = principalOf(request).claim
      const from = { address: request.ip, request_id: request.id }
      const batch = ingest.open({
        by: byApp({ id: app_id, name: null }, from),
        now: app.clock.now(),
        announced: announcedSize(request.headers),
        limits: { lines: limits.lines, size: limits.stored },
      })
      const reserved = budget.open()
      try {
        for await (const piece of expand(body, request.headers['content-encoding'])) {
          await reserved.grow(batch.size + piece.length)
          await batch.push(piece)
        }
        await admit(request)
        const outcome = await batch.commit()
        if (outcome.records === 0) throw empty()
        if ('refused' in outcome) {
          const { message, details } = outcome.refused
          throw fail('record_invalid', message, { details })
        }
        usage.ingested(outcome)
        waiting.moved(outcome.moves)
        delivery.moved(outcome.moves)
        // A store may have left its merchant.
        if (outcome.counts.stores > 0) {
          waiting.accessChanged()
          delivery.wake()
        }
        return sendData(reply, JSON.stringify(resultOf(outcome)))
      } finally {
        batch.abandon()
        reserved.release()
      }
    },
  )
}

/** One object for all rejections: a stack says nothing. */
const busy = fail('service_unavailable', 'The server is storing other large batches; try again shortly', {
  retry_after: 5,
})

const empty = () => fail('record_invalid', 'The body contains no records; send one JSON object per line')

function announcedSize(headers: IncomingHttpHeaders): number | undefined {
  const { 'content-length': length, 'content-encoding': coding } = headers
  return length === undefined || coding !== undefined ? undefined : Number(length)
}
