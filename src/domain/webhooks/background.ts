/** Work that nobody awaits. `notice` gets its failures. */
export class Background {
  readonly #underWay = new Set<Promise<void>>()
  readonly #notice: (error: unknown) => void

  constructor(notice: (error: unknown) => void) {
    this.#notice = notice
  }

  run(work: Promise<void>): void {
    const promise = work.catch(this.#notice).finally(() => this.#underWay.delete(promise))
    this.#underWay.add(promise)
  }

  /** Resolves when no work is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }
}
