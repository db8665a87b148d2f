/** The result of one check, as --json prints it. */
export interface Check {
  name: string
  state: 'ok' | 'warning' | 'problem'
  /** The finding. */
  message: string
  /** How to fix it; null when there is nothing to fix. */
  remedy: string | null
}

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message, remedy: null })

export const warning = (name: string, message: string, remedy: string): Check => ({
  name,
  state: 'warning',
  message,
  remedy,
})

export const problem = (name: string, message: string, remedy: string): Check => ({
  name,
  state: 'problem',
  message,
  remedy,
})

export const messageOf = (error: unknown): string => {
  const { message, cause } = error as Error
  // The message of fetch is always "fetch failed"; its cause holds the reason.
  return message === 'fetch failed' && cause instanceof Error ? messageOf(cause) : message
}
