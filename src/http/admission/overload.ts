import type { FastifyInstance, FastifyRequest } from 'fastify'
import { usualPage } from '../../domain/reading/page.ts'
import { fail } from '../../errors.ts'
import type { RequestEnds } from '../observe/request-ends.ts'
import {
  type AdmissionController,
  createAdmissionController,
  limitsFor,
  type Rejection,
  type Ticket,
} from './controller.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `exempt`: never rejected. `handler`: the handler calls `admit`. Otherwise a hook admits before the handler. */
    admission?: 'exempt' | 'handler'
  }
  interface FastifyRequest {
    ticket: Ticket | null
  }
  interface FastifyInstance {
    admission: { controllerOf(request: FastifyRequest): AdmissionController; rejected(why: Rejection): void }
  }
}

/** One object for all rejections: they are many, and a stack says nothing. */
const overloaded = fail('service_unavailable', 'The server is overloaded; try again shortly')

/** Each class has limits of its own: sign-ins, slow by design, never delay tills, nor large pages small ones. */
const classes = ['integration', 'large pages', 'platform', 'auth', 'login', 'pages'] as const
type Class = (typeof classes)[number]

function classOf({ routeOptions, query }: FastifyRequest): Class {
  const [, first = ''] = (routeOptions.url ?? '').split('/', 2)
  // The query is not validated yet.
  const isLarge = Number((query as { count?: unknown } | null)?.count) > usualPage
  if (first === 'integration' && isLarge) return 'large pages'
  return first === 'signup' ? 'login' : (classes.find(name => name === first) ?? 'pages')
}

/** Rejects requests that could not be answered in time, so that admitted ones are answered soon. */
export function rejectOverload(
  app: FastifyInstance,
  { max_requests, max_wait }: { max_requests: number; max_wait: number },
  ends: RequestEnds,
  rejected: (why: Rejection) => void,
): void {
  const controllers = Object.fromEntries(
    classes.map(name => [
      name,
      createAdmissionController(limitsFor(max_requests, max_wait, name === 'large pages')),
    ]),
  ) as Record<Class, AdmissionController>
  app.decorate('admission', { controllerOf: request => controllers[classOf(request)], rejected })
  app.decorateRequest('ticket', null)
  // After the body has arrived: a slow sender holds no slot.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.config?.admission === undefined) requestAdmission(request, done)
    else done()
  })
  // Before the body of the answer: a slow reader holds no slot either.
  ends.listenToAnswers(request => request.ticket?.release())
  // Answers that the OAuth provider writes itself, and aborted requests.
  ends.listen(({ request }) => request.ticket?.release())
}

function requestAdmission(request: FastifyRequest, done: (error?: Error) => void): void {
  const { admission } = request.server
  request.ticket = admission.controllerOf(request).admit((rejection, ticket) => {
    // Before `done`, which may have answered the request when it returns.
    request.ticket = ticket
    if (rejection === null) return done()
    admission.rejected(rejection)
    done(overloaded)
  })
}

/** Waits until the request may start; for handlers that read the body themselves. */
export const admit = (request: FastifyRequest): Promise<void> =>
  new Promise((resolve, reject) => {
    // When the client leaves, the controller never decides; the handler must still free what it holds.
    const onClose = () => reject(overloaded)
    request.raw.socket.once('close', onClose)
    requestAdmission(request, error => {
      request.raw.socket.off('close', onClose)
      if (error) reject(error)
      else resolve()
    })
  })

/** Admits each further piece of an answer that has begun, and reads it. */
export async function* admitPieces<Piece>(
  request: FastifyRequest,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const controller = request.server.admission.controllerOf(request)
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const ticket = await new Promise<Ticket>(resolve => controller.resume(resolve))
      if (request.raw.socket.destroyed) return ticket.release()
      const step = await iterator.next().finally(ticket.release)
      if (step.done) return
      yield step.value
    }
  } finally {
    await iterator.return?.()
  }
}
