export const minInt64 = -(2n ** 63n)
export const maxInt64 = 2n ** 63n - 1n

/** Reads the canonical decimal form of an int64; anything else (`1.0`, `1e3`, `+1`, `007`, out of range) is null. */
export function parseInt64(text: string): bigint | null {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return null
  const value = BigInt(text)
  return value < minInt64 || value > maxInt64 ? null : value
}

export const maxInt32 = 2 ** 31 - 1
export const minInt32 = -(2 ** 31)
