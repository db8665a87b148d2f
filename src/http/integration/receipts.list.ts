import { Receipts } from '../../contract/changes.ts'
import { createReceipts, type ReceiptList } from '../../domain/reading/receipts.ts'
import type { ErrorDetail } from '../../errors.ts'
import { formatDatetime } from '../../lib/datetime.ts'
import { checkedTogether, dayParameter } from '../parameters.ts'
import { sendData } from '../reply/envelope.ts'
import { rateLimit } from '../reply/headers.ts'
import { success } from '../reply/responses.ts'
import { type App, principalOf } from '../route.ts'
import type { IntegrationDeps } from './deps.ts'
import { store_id, storeErrors } from './of-store.ts'

const longestSpan = 400

function checkDays({ start_day, end_day }: { start_day?: number; end_day?: number }): ErrorDetail[] {
  if (start_day === undefined || end_day === undefined) return []
  const field = 'end_day'
  const days = end_day - start_day + 1
  if (days < 1) {
    return [
      { field, code: 'window_reversed', message: 'end_day is before start_day; it must not be earlier' },
    ]
  }
  if (days <= longestSpan) return []
  const message = `the window was ${days} days; the maximum is ${longestSpan} days`
  return [{ field, code: 'window_too_long', message }]
}

/** Counts and digests of what the server holds, so that a client can prove that it holds the same. */
export function receiptsList(app: App, { storage, requireScope }: IntegrationDeps): void {
  const listReceipts = createReceipts(storage)
  app.get(
    '/integration/v1/receipts',
    {
      schema: {
        operationId: 'listReceipts',
        tags: ['Changes'],
        summary: 'Compare a copy with the server',
        description:
          'How many orders the server holds for each UTC day of `created_at`, with the sum of their subtotals and a ' +
          'digest, and the number and digest of the items (with the scope `integration.inventory`, for a store that was ' +
          'connected with it too), all of one moment. ' +
          'Days without orders are left out. To compare while orders are stored: follow `changes` to its end, read the ' +
          'receipts, follow `changes` and apply the entries up to the receipts’ `seq`, compare, then apply the rest.',
        security: [{ oauth2: ['integration.order'] }],
        querystring: checkedTogether(
          {
            store_id,
            start_day: dayParameter('First day, included'),
            end_day: dayParameter(`Last day, included; at most ${longestSpan} days`),
          },
          checkDays,
        ),
        response: {
          200: success(Receipts, 'The receipts', ...rateLimit),
          ...storeErrors('WindowTooLong'),
        },
      },
      ...requireScope('integration.order'),
    },
    async (request, reply) =>
      sendData(reply, rendered(await listReceipts(principalOf(request), request.query))),
  )
}

function rendered({ feed, seq, days, items }: ReceiptList): string {
  return JSON.stringify({
    feed,
    seq,
    days: days.map(({ day, count, subtotal, digest }) => ({
      day: formatDatetime(day * 86_400).slice(0, 10),
      orders: count,
      subtotal,
      digest,
    })),
    ...(items && { items: { count: items.count, digest: items.digest } }),
  })
}
