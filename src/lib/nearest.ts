/** The candidates with the fewest edits to `word`, if those are at most `limit(candidate)`. */
export function nearest(
  word: string,
  candidates: readonly string[],
  limit: (candidate: string) => number,
): string[] {
  const distances = candidates.map(candidate => ({ candidate, edits: editDistance(word, candidate) }))
  const fewest = Math.min(...distances.map(({ edits }) => edits))
  return distances
    .filter(({ candidate, edits }) => edits === fewest && edits <= limit(candidate))
    .map(({ candidate }) => candidate)
}

/** Levenshtein distance: insertions, deletions and substitutions. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
