export interface Queue<Value> {
  readonly size: number
  readonly oldest: Value | undefined
  readonly newest: Value | undefined
  /** Answers how to take it out again, from wherever it is by then; again, it does nothing. */
  add(value: Value): () => void
}

interface Place<Value> {
  value: Value | undefined
  before: Place<Value>
  after: Place<Value>
}

/** Values in the order in which they came. All it does takes the same short time, however many there are. */
export function createQueue<Value>(): Queue<Value> {
  const ends = { value: undefined } as Place<Value>
  ends.before = ends
  ends.after = ends
  let size = 0
  return {
    get size() {
      return size
    },
    get oldest() {
      return ends.after.value
    },
    get newest() {
      return ends.before.value
    },
    add(value) {
      const place = { value, before: ends.before, after: ends }
      ends.before.after = place
      ends.before = place
      size++
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        size--
        place.before.after = place.after
        place.after.before = place.before
      }
    },
  }
}
