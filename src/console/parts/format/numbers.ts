const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** `12,345`: every digit, for tables and sentences. */
export const formatNumber = (value: number | bigint): string => whole.format(value)

/** `12.3K`: for an axis or a tile. */
export const formatCompact = (value: number | bigint): string =>
  value > -10_000 && value < 10_000 ? whole.format(value) : compact.format(value)
