/** Makes the value at the first call and keeps it. A failure is not kept: the next call tries again. */
export function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    if (made) return made
    made = make()
    made.catch(() => {
      made = null
    })
    return made
  }
}
