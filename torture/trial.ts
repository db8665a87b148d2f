import { createRandom, type Random } from '../src/demo/random.ts'

export type EngineName = 'sqlite' | 'postgres'

/** What a scenario is given to work with. */
export interface Trial {
  engine: EngineName
  /** The same for the same seed. */
  random: Random
  /** The most that is tried, in the scenario's own measure. */
  rounds: number
  /** True while there is time for another round. */
  goesOn(): boolean
  /** The machine does other things too: limits in time are then what it takes now, many times over. */
  busyMachine: boolean
  say(text: string): void
}

/** A trial that ends after so many rounds: for the tests, which say their seed so that it can be tried again. */
export function shortTrial(engine: EngineName, rounds: number, say: (text: string) => void): Trial {
  const seed = Number(process.env['TORTURE_SEED'] ?? Math.floor(Math.random() * 1_000_000))
  say(`seed ${seed}`)
  return {
    engine,
    random: createRandom(seed, 0),
    rounds,
    goesOn: () => true,
    busyMachine: true,
    say: () => {},
  }
}

export interface Outcome {
  /** What was done, and how often. */
  tried: string
  /** What came of it, in figures. */
  found: string
  /** What was not as it must be; nothing, when all is well. */
  broken: string[]
}

export interface Scenario {
  name: string
  engines: readonly EngineName[]
  /** The most rounds of the long version. */
  rounds: number
  /** Of the time that all have together. */
  share: number
  run(trial: Trial): Promise<Outcome>
}
