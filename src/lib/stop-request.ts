/**
 * Aborts at the first SIGTERM or SIGINT after `listen`, with the signal's name as its reason. Repeats are ignored: Ctrl-C
 * and systemd signal every process of the group, and a parent process may then forward the same request once more.
 */
export function createStopRequest() {
  const stop = new AbortController()
  const abort = (signal: NodeJS.Signals) => stop.abort(signal)
  return {
    signal: stop.signal,
    /** Called when the work can end early: before that, a signal ends the process, also one that hangs at its start. */
    listen: () => void process.on('SIGTERM', abort).on('SIGINT', abort),
    release: () => void process.off('SIGTERM', abort).off('SIGINT', abort),
  }
}

export type StopRequest = ReturnType<typeof createStopRequest>
