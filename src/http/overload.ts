import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fail } from '../errors.ts'
import { createGate, type Gate, type TurnedAway, type Visit } from '../lib/gate.ts'
import type { RequestEnds } from './request-ends.ts'

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
    gates: { of(request: FastifyRequest): Gate; refused(why: Refusal): void }
  }
}

export interface OverloadLimits {
  /** Requests of one kind that are worked on at a time. */
  max_requests: number
  /** Milliseconds that a request waits for its turn. */
  max_wait: number
}

/** Found too late, or turned away at its gate. */
export type Refusal = 'late' | TurnedAway

/** For each that is worked on. */
const waitingForEach = 40

/** One long piece of work is no overload: only behind this many others does a request count as late. */
const fewRequests = 8

/** Many that come at once and will soon be through are no overload either: so many milliseconds they have. */
const burst = 850

/**
 * A request may sit through what is left of one turn of the event loop, and then wait for its place in the next: so a
 * turn has less time than a gate.
 */
const turnShare = 0.7

/**
 * Who waits longer than others. Tills would have to send a whole batch again, and are in no hurry; of many that use one
 * code or token at once each must learn what came of it, and an app without a token can do nothing else.
 */
const patience: Record<string, number> = { platform: 4000, auth: 2500 }

/** A pause after which a long turn says nothing about the next. */
const pause = 50

/** One object for all: it is needed so often, and its stack says nothing. */
export const overloaded = fail(
  'service_unavailable',
  'There is more to do than can be done now; try again shortly',
  {
    headers: { 'retry-after': '1' },
  },
)

/**
 * Turns requests away when there are more than can be answered in time, so that those let in are answered soon. Two
 * measures, for two places where requests queue up. What runs at once, as SQLite does, keeps requests waiting unread in
 * their sockets: they are late when the turn of the event loop that found them has lasted too long. What waits, for
 * PostgreSQL or for signatures, fills the process with half-done requests: of these a number is worked on at a time, and
 * the rest wait at a gate, in their order and not for long.
 */
export function refuseOverload(
  app: FastifyInstance,
  { max_requests, max_wait }: OverloadLimits,
  ends: RequestEnds,
  refused: (why: Refusal) => void,
): void {
  const burst_ms = Math.max(burst, max_wait)
  const gates = createGates(kind =>
    createGate({
      inside: max_requests,
      waiting: max_requests * waitingForEach,
      patience_ms: Math.max(patience[kind] ?? 0, max_wait),
      burst_ms: Math.max(patience[kind] ?? 0, burst_ms),
    }),
  )
  const isLate = createTurn(max_wait * turnShare, burst_ms)
  app.decorate('gates', { of: gates, refused })
  app.decorateRequest('visit', null)

  app.addHook('onRequest', (request, _reply, done) => {
    if (turnOf(request) === 'never') return done()
    if (!isLate()) return done()
    refused('late')
    done(overloaded)
  })
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

function createGates(create: (kind: string) => Gate): (request: FastifyRequest) => Gate {
  const byKind = new Map<string, Gate>()
  const byRoute = new Map<string, Gate>()
  return ({ routeOptions: { url = '' } }) => {
    const known = byRoute.get(url)
    if (known) return known
    const [, first = ''] = url.split('/')
    const kind = first === 'signup' ? 'login' : kinds.includes(first) ? first : 'pages'
    const gate = byKind.get(kind) ?? create(kind)
    byKind.set(kind, gate)
    byRoute.set(url, gate)
    return gate
  }
}

/**
 * Tells, of each request as it is met, whether this turn of the event loop has lasted too long for it: since its first
 * request, and with not a few others before it. One long turn may be a burst; when they are all long it is none.
 */
function createTurn(max_wait: number, burst_ms: number): () => boolean {
  let began = 0
  let others = 0
  /** Since when the turns have been long. */
  let longSince: number | null = null
  let ended = 0
  return () => {
    const now = performance.now()
    if (others === 0) {
      began = now
      if (now - ended > pause) longSince = null
      // Runs when all sockets that were found readable have been read.
      setImmediate(() => {
        others = 0
        ended = performance.now()
        if (ended - began < max_wait) longSince = null
        else longSince ??= began
      })
    }
    return others++ >= fewRequests && now - began >= max_wait && now - (longSince ?? began) >= burst_ms
  }
}
