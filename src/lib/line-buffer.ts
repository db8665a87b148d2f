/** So much is written even in the middle of a turn. */
const most = 64 * 1024

/**
 * Writes the lines of one turn of the event loop together: a write to a file or a pipe keeps the process waiting, and
 * with a line for each request it would do so as often. Nothing is left unwritten at the end of the process.
 */
export function createLineBuffer(out: { write(text: string): unknown }): { write(line: string): void } {
  let lines = ''
  let planned = false

  function flush(): void {
    const text = lines
    lines = ''
    if (text !== '') out.write(text)
  }

  process.once('exit', flush)
  return {
    write(line) {
      lines += line
      if (lines.length > most) return flush()
      if (planned) return
      planned = true
      setImmediate(() => {
        planned = false
        flush()
      })
    },
  }
}
