/** Ignores the case of A to Z and of no other letter. */
export const contains = (column: string, text = '?1'): string => `instr(lower(${column}), lower(${text})) > 0`
