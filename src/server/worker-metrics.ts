import type { Worker } from 'node:cluster'
import { mergeMetrics } from '../http/observe/merge-metrics.ts'

/**
 * With several processes on one port, whoever asks for metrics reaches any of them. That one asks the first process,
 * which asks all the others.
 */
type Message =
  /** A worker wants those of all. */
  | { metrics: 'all'; id: number }
  /** The first process wants those of a worker. */
  | { metrics: 'own'; id: number }
  /** A worker's own. */
  | { metrics: 'these'; id: number; text: string }
  /** Those of all, for the one who asked. */
  | { metrics: 'answer'; id: number; text: string }

/** One that does not answer by then is left out: it may be dying. */
const patience = 2000

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'metrics' in message

/** In the first process, for each worker. */
export function relayMetrics(workers: () => Worker[]): (worker: Worker) => void {
  let questions = 0
  return asking => {
    asking.on('message', async (message: unknown) => {
      if (!isMessage(message) || message.metrics !== 'all') return
      const texts = await Promise.all(workers().map(worker => askOne(worker, ++questions)))
      const text = mergeMetrics(texts.filter(answer => answer !== null))
      if (asking.isConnected()) asking.send({ metrics: 'answer', id: message.id, text } satisfies Message)
    })
  }
}

function askOne(worker: Worker, id: number): Promise<[string, string] | null> {
  return new Promise(resolve => {
    const done = (answer: [string, string] | null) => {
      clearTimeout(timer)
      worker.off('message', listen)
      resolve(answer)
    }
    const listen = (message: unknown) => {
      if (!isMessage(message) || message.metrics !== 'these' || message.id !== id) return
      done([String(worker.process.pid), message.text])
    }
    const timer = setTimeout(() => done(null), patience)
    worker.on('message', listen)
    if (worker.isConnected()) worker.send({ metrics: 'own', id } satisfies Message)
  })
}

/** In a worker: answers for its own, and gets those of all. */
export function gatherMetrics(own: () => Promise<string>): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>()
  let questions = 0
  const tell = (message: Message): void => void process.send?.(message)
  process.on('message', async (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'own') tell({ metrics: 'these', id: message.id, text: await own() })
    if (message.metrics === 'answer') waiting.get(message.id)?.(message.text)
  })
  return async () => {
    const id = ++questions
    const alone = setTimeout(async () => waiting.get(id)?.(await own()), 2 * patience)
    const text = await new Promise<string>(resolve => {
      waiting.set(id, resolve)
      tell({ metrics: 'all', id })
    })
    clearTimeout(alone)
    waiting.delete(id)
    return text
  }
}
