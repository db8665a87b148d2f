/** The path with these query parameters; null and empty ones are left out. */
export function withQuery(path: string, query: Record<string, string | number | null>): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== '') text.set(name, String(value))
  }
  return text.size === 0 ? path : `${path}?${text}`
}
