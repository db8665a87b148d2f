/** Begins a new history: every client of the sequence reads everything again. */
export const renewSql = 'update feed set history = lower(hex(randomblob(12))) where id = 1 returning history'
