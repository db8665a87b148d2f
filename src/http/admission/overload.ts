import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../../errors.ts'
import { createGate, type Gate, type TurnedAway, type Visit } from './gate.ts'
import { usualPage } from '../../domain/reading/page.ts'
import type { RequestEnds } from '../observe/request-ends.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `never`: answered however much there is to do, because operators ask by it what is going on. `later`: the handler
     * says when, by `takeTurn`. Else before the handler, when the body is there.
     */
    turn?: 'never' | 'later'
  }
  interface FastifyRequest {
    visit: Visit | null
  }
  interface FastifyInstance {
    gates: { of(request: FastifyRequest): Gate; refused(why: TurnedAway): void }
  }
}

export interface OverloadLimits {
  /** Requests of one kind that are worked on at a time. */
  max_requests: number
  /** Milliseconds that a request waits for its turn where many do. */
  max_wait: number
}

/**
 * For each that is worked on. So many because clients that are turned away at once come back at once, and turning them
 * away would become all that is done; those who wait first come back twice a second.
 */
const waitingForEach = 500

/** No more than these are no overload: together they are soon through, even where each takes long. */
const few = (kind: string): number => (kind === largePages ? 25 : 100)

// How long a request waits, in times of `max_wait`.

/** Many that come at once and will soon be through. */
const burst = 1.4

/** A few. Tills would have to send a whole batch again, and are in no hurry. */
const patience = (kind: string): number => (kind === 'platform' ? 10 : 6)

/** Milliseconds in one turn of the event loop: a hundred small answers, and never a wait that anyone would notice. */
const turn = 10

/** One object for all: it is needed so often, and its stack says nothing. */
export const overloaded = fail(
  'service_unavailable',
  'There is more to do than can be done now; try again shortly',
  {
    headers: { 'retry-after': '1' },
  },
)

/**
 * Turns requests away when there are more than can be answered in time, so that those let in are answered soon: a number
 * is worked on at a time, and the rest wait at a gate, and not for long.
 */
export function refuseOverload(
  app: FastifyInstance,
  { max_requests, max_wait }: OverloadLimits,
  ends: RequestEnds,
  refused: (why: TurnedAway) => void,
): void {
  const gates = createGates(kind =>
    createGate({
      inside: max_requests,
      turn_ms: turn,
      waiting: max_requests * waitingForEach,
      patience_ms: max_wait,
      burst_ms: max_wait * burst,
      few: few(kind),
      few_ms: max_wait * patience(kind),
    }),
  )
  app.decorate('gates', { of: gates, refused })
  app.decorateRequest('visit', null)

  // Only now, when the body is there: one who sends it slowly takes nobody's place.
  app.addHook('preValidation', (request, _reply, done) => {
    if (turnOf(request) === undefined) enter(request, done)
    else done()
  })
  // The answer is there; how fast its reader takes it is another matter.
  ends.listenToAnswers(request => request.visit?.leave())
  // Answers that the OAuth provider wrote by itself, and requests that were cut off.
  ends.listen(({ request }) => request.visit?.leave())
}

/** Waits for the request's turn; for handlers that read the body themselves. */
export const takeTurn = (request: FastifyRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    const { socket } = request.raw
    // Who goes away while waiting is never called in; what is kept for them must be let go all the same.
    const gone = () => reject(overloaded)
    socket.once('close', gone)
    enter(request, error => {
      socket.off('close', gone)
      if (error) reject(error)
      else resolve()
    })
  })

/**
 * What follows in an answer that has begun, each piece in its turn: before most requests that have not begun, or those
 * would all be let in, and none be answered in time.
 */
export async function* inTurn<Piece>(
  request: FastifyRequest,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const gate = request.server.gates.of(request)
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const visit = await new Promise<Visit>(resolve => gate.again(resolve))
      // Who left while it waited needs no more of it.
      if (request.raw.socket.destroyed) return visit.leave()
      const step = await iterator.next().finally(visit.leave)
      if (step.done) return
      yield step.value
    }
  } finally {
    await iterator.return?.()
  }
}

function enter(request: FastifyRequest, done: (error?: Error) => void): void {
  const { gates } = request.server
  request.visit = gates.of(request).enter((why, visit) => {
    // Before the request goes on: it may be over when this returns.
    request.visit = visit
    if (why === null) return done()
    gates.refused(why)
    done(overloaded)
  })
}

const turnOf = (request: FastifyRequest) => request.routeOptions.config?.turn

/** Kinds of requests with a gate of their own: people who sign in, which is slow by design, never stand before tills. */
const kinds = ['integration', 'platform', 'auth', 'login']
const largePages = 'large pages'

function createGates(create: (kind: string) => Gate): (request: FastifyRequest) => Gate {
  const byKind = new Map<string, Gate>()
  const gateOf = (kind: string): Gate => {
    const gate = byKind.get(kind) ?? create(kind)
    byKind.set(kind, gate)
    return gate
  }
  const large = create(largePages)
  const byRoute = new Map<string, { usual: Gate; large: Gate }>()
  return request => {
    const { url = '' } = request.routeOptions
    let gates = byRoute.get(url)
    if (!gates) {
      const kind = kindOf(url)
      const usual = gateOf(kind)
      gates = { usual, large: kind === 'integration' ? large : usual }
      byRoute.set(url, gates)
    }
    return asksForLargePage(request) ? gates.large : gates.usual
  }
}

function kindOf(url: string): string {
  const [, first = ''] = url.split('/')
  return first === 'signup' ? 'login' : kinds.includes(first) ? first : 'pages'
}

/** What may take many pieces never stands before what takes one. Nobody has looked at this query yet. */
const asksForLargePage = ({ query }: FastifyRequest): boolean =>
  Number((query as { count?: unknown } | null)?.count) > usualPage
