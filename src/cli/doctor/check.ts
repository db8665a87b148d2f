/** The result of one check, as --json prints it. */
export interface Check {
  name: string
  state: 'ok' | 'warning' | 'problem'
  /** The finding. */
  says: string
  /** How to fix it; null when there is nothing to fix. */
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
  // The message of fetch is always "fetch failed"; its cause holds the reason.
  return message === 'fetch failed' && cause instanceof Error ? messageOf(cause) : message
}
