import type { Storage } from './port/index.ts'

/** Receives the duration of one call, and whether it failed. */
export type Observe = (milliseconds: number, failed: boolean) => void

type Operation = (...values: unknown[]) => Promise<unknown>
type Noun = Record<string, Operation>

/** Noun and verb, such as `orders.page`; for what belongs to no noun the verb, such as `purge`. */
export type OperationName = {
  [Noun in keyof Storage]: Storage[Noun] extends (...values: never[]) => unknown
    ? Noun
    : `${Noun}.${keyof Storage[Noun] & string}`
}[keyof Storage]

/** The same storage with every operation timed, including the wait for a connection, a lock or the disk. */
export function timed(storage: Storage, observerOf: (operation: OperationName) => Observe): Storage {
  const all = storage as unknown as Record<string, Noun | Operation>
  const wrapped: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(all)) {
    if (name === 'close') wrapped[name] = () => storage.close()
    else if (typeof part === 'function')
      wrapped[name] = watch(all as Noun, name, observerOf(name as OperationName))
    else wrapped[name] = timedNoun(part, verb => observerOf(`${name}.${verb}` as OperationName))
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
    // Looked up at each call, because an engine may replace a method later.
    const running = (noun[verb] as Operation)(...values)
    running.then(
      () => observe(performance.now() - began, false),
      () => observe(performance.now() - began, true),
    )
    return running
  }
}
