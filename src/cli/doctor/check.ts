/** One thing that was looked at. */
export interface Check {
  name: string
  state: 'ok' | 'warning' | 'problem'
  /** What was found. */
  says: string
  /** What to do about it; null when nothing is. */
  mend: string | null
}

export const ok = (name: string, says: string): Check => ({ name, state: 'ok', says, mend: null })

export const warning = (name: string, says: string, mend: string): Check => ({
  name,
  state: 'warning',
  says,
  mend,
})

export const problem = (name: string, says: string, mend: string): Check => ({
  name,
  state: 'problem',
  says,
  mend,
})

export const messageOf = (error: unknown): string => {
  const { message, cause } = error as Error
  // fetch says "fetch failed", and why in its cause.
  return message === 'fetch failed' && cause instanceof Error ? messageOf(cause) : message
}
