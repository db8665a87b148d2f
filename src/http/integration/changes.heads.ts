import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { Head } from '../../contract/changes.ts'
import { count, index, maxOrderCount } from '../../contract/paging.ts'
import { createHeads, type HeadList } from '../../domain/reading/heads.ts'
import type { SequenceMove } from '../../storage/port/index.ts'
import { admit } from '../admission/overload.ts'
import { sendData } from '../reply/envelope.ts'
import { rateLimit } from '../reply/headers.ts'
import { errorResponses, notModified, success } from '../reply/responses.ts'
import { type App, principalOf } from '../route.ts'
import type { IntegrationDeps } from './deps.ts'
import { checkedTogether } from '../parameters.ts'
import { createCursors, cursor } from './cursor.ts'
import { ifNoneMatch } from './of-store.ts'
import { wait, waitingTime } from './wait.ts'

interface HeadsQuery {
  index: number
  count: number
  cursor?: string | undefined
}

/** Which stores have moved: one request for all stores of a token. */
export function changesHeads(app: App, deps: IntegrationDeps): void {
  const { storage, clock, issuer, waiting, requireScope } = deps
  const cursors = createCursors<HeadsQuery>(issuer, 'heads', { key: () => ['integer'], filter: [] })
  const listHeads = createHeads(storage)
  app.get(
    '/integration/v1/changes/heads',
    {
      schema: {
        operationId: 'listHeads',
        tags: ['Changes'],
        summary: 'See which stores have changed',
        description:
          'The newest `seq` of every store of which the token may read orders or items, by id. Request `changes` for the ' +
          'stores whose `seq` differs from the `next` that you have stored. With `If-None-Match` and `wait` the request is ' +
          'held until one of them changes; without `If-None-Match` it is answered at once.',
        security: [{ oauth2: ['integration.order'] }, { oauth2: ['integration.inventory'] }],
        querystring: checkedTogether({ index, count: count(), cursor, wait }, cursors.check),
        headers: ifNoneMatch,
        response: {
          200: success(
            Type.Array(Head),
            'A page of stores with their newest numbers',
            'ETag',
            'Link',
            ...rateLimit,
          ),
          304: notModified('Nothing has changed since the answer with this ETag', 'ETag', 'Link'),
          ...errorResponses('TokenRejected', 'ScopeInsufficient', 'ParameterInvalid', 'RateLimited'),
        },
      },
      ...requireScope(['integration.order', 'integration.inventory']),
    },
    async (request, reply) => {
      const { wait: seconds, index: number, count: most } = request.query
      const [after = null] = (cursors.read(request.query) ?? []) as bigint[]
      const principal = principalOf(request)
      const { 'if-none-match': known } = request.headers
      const read = async () => {
        const heads = await listHeads(principal, { index: number, count: most, after })
        return { heads, tag: tagOf(heads) }
      }
      const time = waitingTime(request, {
        // `*` matches whatever changes.
        seconds: known === undefined || known.includes('*') || request.method === 'HEAD' ? 0 : seconds,
        expires_at: principal.expires_at,
        clock,
      })
      const answer = ({ heads, tag }: Awaited<ReturnType<typeof read>>, isKnown: boolean) => {
        const last = heads.length === most && most <= maxOrderCount ? heads.at(-1) : undefined
        if (last) cursors.link(reply, request.query, [last.store_id])
        reply.header('etag', tag)
        return isKnown ? reply.code(304).send() : sendData(reply, rendered(heads))
      }
      for (;;) {
        const page = await read()
        const { heads, tag } = page
        const isKnown = matches(known, tag)
        if (isKnown && time.seconds > 0) {
          time.begin()
          const list = {
            key: [principal.claim.jti, number, most, after].join(' '),
            known: tag,
            read: async () => (await read()).tag,
            isDueAfter: (move: SequenceMove) =>
              heads.some(({ store_id, seq }) => store_id === move.store_id && move.seq > seq),
          }
          const woken_at = await waiting.forList({ claim: principal.claim, list }, time)
          if (woken_at === null) return answer(page, true)
          await admit(request)
          continue
        }
        return answer(page, isKnown)
      }
    },
  )
}

/** Ids of int64 are written as they are. */
const rendered = (heads: HeadList): string =>
  `[${heads.map(({ store_id, seq }) => `{"store_id":${store_id},"seq":${seq}}`).join(',')}]`

const tagOf = (heads: HeadList): string => `W/"${hash('sha1', rendered(heads), 'base64url')}"`

const matches = (known: string | undefined, tag: string): boolean =>
  known !== undefined &&
  known.split(',').some(each => each.trim() === '*' || each.trim().replace(/^(?!W\/)/, 'W/') === tag)
