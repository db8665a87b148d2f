/** Characters at which the buffer is written without waiting. */
const most = 64 * 1024

/**
 * Writes the lines of one event loop iteration together, because a write to a file or a pipe blocks the process. The
 * rest is written when the process exits.
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
