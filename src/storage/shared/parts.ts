/** The parts of a chunk whose entries were joined by the database; null without entries. */
export const partsOf = (bytes: Uint8Array | null | undefined): readonly Uint8Array[] => (bytes ? [bytes] : [])
