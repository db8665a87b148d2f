import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Changes } from '../../contract/changes.ts'
import { fieldType, mayBeOmitted } from '../../contract/fields.ts'
import { count, maxOrderCount } from '../../contract/paging.ts'
import { rejectScope } from '../../domain/reading/access.ts'
import {
  type ChangesPage,
  type ChangesRequest,
  createChangesList,
  scopeOfKind,
} from '../../domain/reading/changes.ts'
import type { ErrorDetail } from '../../errors.ts'
import { changeKinds } from '../../storage/port/index.ts'
import { admit } from '../admission/overload.ts'
import { checkedTogether, listParameter, seqParameter } from '../parameters.ts'
import { rateLimit } from '../reply/headers.ts'
import { sendChanges } from '../reply/listing.ts'
import { success } from '../reply/responses.ts'
import { type App, principalOf } from '../route.ts'
import type { IntegrationDeps } from './deps.ts'
import { store_id, storeErrors } from './of-store.ts'
import { wait, waitingTime } from './wait.ts'

const parameters = checkedTogether(
  {
    store_id,
    after: mayBeOmitted(
      Type.Unsafe<number>({
        ...seqParameter('Only changes with a higher `seq`: `next` of the last answer; 0 for everything'),
        default: 0,
      }),
    ),
    feed: Type.Optional(
      Type.String({
        [fieldType]: 'text',
        description: '`feed` of the last answer, unchanged; required when `after` is above 0',
      }),
    ),
    count: count(maxOrderCount, 'Entries per page. Whether another page follows is in `more`'),
    kinds: Type.Optional(
      listParameter(
        changeKinds,
        'What to follow, separated by commas; by default all that the token may read of the store',
      ),
    ),
    wait,
  },
  ({ after = 0 }, given): ErrorDetail[] =>
    after > 0 && given['feed'] === undefined
      ? [
          {
            field: 'feed',
            code: 'required',
            message: 'feed is required when after is above 0: send the one of the last answer',
          },
        ]
      : [],
)

/** Every order and item of a store, in the order in which it was stored: the way to miss nothing. */
export function changesList(app: App, { storage, clock, waiting, requireScope }: IntegrationDeps): void {
  const listChanges = createChangesList(storage)
  const guarded = requireScope(['integration.order', 'integration.inventory'])

  /**
   * Throws when the request names a kind that the token may not follow. Scopes are checked before parameters: when one of
   * them is bad, `kinds` is still the text.
   */
  async function checkKinds(request: FastifyRequest<{ Querystring: { kinds?: unknown } }>): Promise<void> {
    const { kinds } = request.query
    if (kinds === undefined) return
    const principal = principalOf(request)
    const named = String(kinds).split(',')
    const refused = changeKinds.find(kind => named.includes(kind) && !principal.scopes.has(scopeOfKind[kind]))
    if (refused === undefined) return
    await rejectScope(storage, principal, scopeOfKind[refused])
  }

  /** Reads a page; when it has no entries, waits for one and reads again. */
  async function readOrWait(
    request: FastifyRequest,
    query: ChangesRequest,
    seconds: number,
  ): Promise<ChangesPage> {
    const principal = principalOf(request)
    const time = waitingTime(request, { seconds, expires_at: principal.expires_at, clock })
    for (;;) {
      const page = await listChanges(principal, query)
      if (page.rows > 0 || time.seconds <= 0) return page
      time.begin()
      const { claim } = principal
      const { kinds, newest: above } = page
      const woken_at = await waiting.forStore({ claim, store_id: query.store_id, kinds, above }, time)
      // Without a change the page is still the current one, and nothing has to be read.
      if (woken_at === null) return page
      await admit(request)
    }
  }

  app.get(
    '/integration/v1/changes',
    {
      schema: {
        operationId: 'listChanges',
        tags: ['Changes'],
        summary: 'Follow a store’s changes',
        description:
          'Every order and item of a store in its newest version, by `seq`: the number of the change that stored it. ' +
          'Begin with `after=0`. Store the entries by kind and id, together with `next` and `feed`, in one transaction, ' +
          'and ask again with both; at once while `more` is true. An entry that changes comes again with a higher ' +
          '`seq`. On 409 begin again with `after=0` and without `feed`, replace what you have whatever its `seq`, and ' +
          'when `more` is false delete what did not come.',
        security: [{ oauth2: ['integration.order'] }, { oauth2: ['integration.inventory'] }],
        querystring: parameters,
        response: {
          200: success(Changes, 'A page of changes', ...rateLimit),
          ...storeErrors('FeedChanged', 'CountTooLarge'),
        },
      },
      ...guarded,
      preHandler: [checkKinds, guarded.preHandler],
    },
    async (request, reply) => {
      const { store_id, after, feed, count: most, kinds, wait: seconds } = request.query
      const query = { store_id, after, feed, count: most, kinds }
      const page = await readOrWait(request, query, request.method === 'HEAD' ? 0 : seconds)
      reply.header('cache-control', 'no-store')
      return sendChanges(reply, page)
    },
  )
}
