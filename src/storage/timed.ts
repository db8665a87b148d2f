import type { Storage } from './port/index.ts'

/** Takes the time of one run of an operation, and whether it failed. */
export type Observe = (milliseconds: number, failed: boolean) => void

type Operation = (...values: unknown[]) => Promise<unknown>
type Noun = Record<string, Operation>

/**
 * The same storage, with every operation timed as it is seen from above the port: waiting for a connection, for a lock
 * and for the disk included. Operations are named by noun and verb, such as `orders.page`.
 */
export function timed(storage: Storage, observerOf: (operation: string) => Observe): Storage {
  const all = storage as unknown as Record<string, Noun | Operation>
  const wrapped: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(all)) {
    if (name === 'close') wrapped[name] = () => storage.close()
    else if (typeof part === 'function') wrapped[name] = watch(all as Noun, name, observerOf(name))
    else wrapped[name] = timedNoun(part, verb => observerOf(`${name}.${verb}`))
  }
  return wrapped as unknown as Storage
}

function timedNoun(noun: Noun, observerOf: (verb: string) => Observe): Noun {
  const verbs = Object.keys(noun).filter(verb => typeof noun[verb] === 'function')
  return Object.fromEntries(verbs.map(verb => [verb, watch(noun, verb, observerOf(verb))]))
}

function watch(noun: Noun, verb: string, observe: Observe): Operation {
  return (...values) => {
    const began = performance.now()
    // Looked up at each call: what an engine puts in its place later is what is meant.
    const running = (noun[verb] as Operation)(...values)
    running.then(
      () => observe(performance.now() - began, false),
      () => observe(performance.now() - began, true),
    )
    return running
  }
}
