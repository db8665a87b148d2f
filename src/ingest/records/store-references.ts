import type { PreparedRecord } from './prepared.ts'

/** The stores that the records of a batch belong to. */
export class StoreReferences {
  readonly #added = new Set<bigint>()
  /** The lines whose store no earlier line adds. */
  readonly #lines = new Map<bigint, number[]>()

  add({ kind, line, row }: PreparedRecord): void {
    if (kind === 'store') this.#added.add(row.id)
    else if (!this.#added.has(row.store_id)) {
      const lines = this.#lines.get(row.store_id)
      if (lines) lines.push(line)
      else this.#lines.set(row.store_id, [line])
    }
  }

  /** Those that a record describes, and so may create. */
  get added(): bigint[] {
    return [...this.#added]
  }

  get ids(): bigint[] {
    return [...this.#added.union(this.#lines)]
  }

  /** The records whose store is neither stored nor in an earlier line, by line. */
  missing(stored: ReadonlySet<bigint>): { line: number; store_id: bigint }[] {
    return [...this.#lines]
      .filter(([store_id]) => !stored.has(store_id))
      .flatMap(([store_id, lines]) => lines.map(line => ({ line, store_id })))
      .sort((a, b) => a.line - b.line)
  }
}
