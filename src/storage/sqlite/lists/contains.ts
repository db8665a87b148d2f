/** Without case and accents: `fold` is lib/fold.ts. */
export const contains = (column: string, text = '?1'): string => `instr(fold(${column}), fold(${text})) > 0`
