/** Of empty pages: thousands of waiting requests hold one each. */
export const noParts: readonly Uint8Array[] = []

/** The parts of a chunk whose entries were joined by the database; null without entries. */
export const partsOf = (bytes: Uint8Array | null | undefined): readonly Uint8Array[] =>
  bytes ? [bytes] : noParts
