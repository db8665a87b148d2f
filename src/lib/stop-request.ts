/**
 * Aborts at the first SIGTERM or SIGINT, with the signal's name as its reason. Repeats are ignored: Ctrl-C and systemd
 * signal every process of the group, and a parent process may then forward the same request once more.
 */
export function stopRequest(): { signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const abort = (signal: NodeJS.Signals) => stop.abort(signal)
  process.on('SIGTERM', abort).on('SIGINT', abort)
  return {
    signal: stop.signal,
    release: () => void process.off('SIGTERM', abort).off('SIGINT', abort),
  }
}
