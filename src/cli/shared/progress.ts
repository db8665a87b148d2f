export interface Progress {
  /** Adds `count` units. When the total counts something else, such as bytes, `share` is the progress in that. */
  advance(count: number, share?: number): void
  /** Writes the final state and ends the line. */
  done(): void
}

interface Options {
  /** In units, or in what the shares count; without a total there is no bar and no remaining time. */
  total?: number
  unit: string
  output?: NodeJS.WriteStream
  /** Milliseconds. */
  now?: () => number
}

const barWidth = 24
/** Milliseconds between two updates: often on a terminal, rarely in a log. */
const terminalInterval = 100
const logInterval = 5000

/** The progress of a long command: one line that is overwritten on a terminal, a new line every few seconds elsewhere. */
export function createProgress(label: string, options: Options): Progress {
  const { total, unit, output = process.stderr, now = () => performance.now() } = options
  const terminal = output.isTTY === true
  const interval = terminal ? terminalInterval : logInterval
  const started = now()
  let shownAt = started
  let count = 0
  let share = 0

  function line(): string {
    const seconds = Math.max((now() - started) / 1000, 0.001)
    const figures = `${grouped(count)} ${unit}, ${grouped(Math.round(count / seconds))}/s`
    if (!total) return `${label}: ${figures}`
    const part = Math.min(share / total, 1)
    const percent = `${Math.floor(part * 100)}%`
    const left = part > 0 && part < 1 ? `, ${duration((seconds / part) * (1 - part))} left` : ''
    return terminal
      ? `${label} ${bar(part)} ${percent.padStart(4)}  ${figures}${left}`
      : `${label}: ${percent}, ${figures}${left}`
  }

  function show(): void {
    shownAt = now()
    // \x1b[K clears the rest of a longer previous line.
    output.write(terminal ? `\r${line()}\x1b[K` : `${line()}\n`)
  }

  return {
    advance(more, moreShare = more) {
      count += more
      share += moreShare
      if (now() - shownAt >= interval) show()
    },
    done() {
      if (!terminal) return
      show()
      output.write('\n')
    },
  }
}

const bar = (part: number): string => {
  const filled = Math.round(part * barWidth)
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`
}

const grouped = (value: number): string => value.toLocaleString('en-US')

function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
