import { createRandom, type Random } from '../src/demo/random.ts'

export type EngineName = 'sqlite' | 'postgres'

/** The parameters of one run of a scenario. */
export interface Trial {
  engine: EngineName
  /** Seeded: the same seed gives the same numbers. */
  random: Random
  /** The maximum number of rounds; each scenario says what a round is. */
  rounds: number
  /** True while there is time for another round. */
  goesOn(): boolean
  /** The machine does other work too: time limits are then multiples of what the machine takes without overload. */
  busyMachine: boolean
  /** Milliseconds that each client of a constant load waits after an answer. */
  pause: number
  say(text: string): void
}

/** A trial of a few rounds for the tests, which print the seed so that a failure can be repeated. */
export function shortTrial(engine: EngineName, rounds: number, say: (text: string) => void): Trial {
  const seed = Number(process.env['TORTURE_SEED'] ?? Math.floor(Math.random() * 1_000_000))
  say(`seed ${seed}`)
  return {
    engine,
    random: createRandom(seed, 0),
    rounds,
    goesOn: () => true,
    busyMachine: true,
    pause: 50,
    say: () => {},
  }
}

export interface Outcome {
  /** What the scenario did, and how often. */
  tried: string
  /** The result, in figures. */
  found: string
  /** Violations of the requirements; empty when there are none. */
  broken: string[]
}

export interface Scenario {
  name: string
  engines: readonly EngineName[]
  /** The rounds of the long version. */
  rounds: number
  /** Its weight when `--minutes` is divided among the scenarios. */
  share: number
  run(trial: Trial): Promise<Outcome>
}
