/** A quantity as whole units and billionths, so that sums of fractional counts are exact. */
export interface Quantity {
  units: bigint
  nanos: bigint
}

const billion = 1_000_000_000n

/** The exact value of a JSON number, rounded to nine digits after the point. */
export function toQuantity(text: string): Quantity {
  // The fast path for usual counts.
  if (text.length <= 9 && /^\d+$/.test(text)) return { units: BigInt(text), nanos: 0n }
  const { negative, whole, fraction } = plainDigits(text)
  const nanosExact = fraction.padEnd(10, '0')
  const roundUp = nanosExact.charCodeAt(9) >= 53 /* '5' */ ? 1n : 0n
  const total = BigInt(whole) * billion + BigInt(nanosExact.slice(0, 9)) + roundUp
  const units = total / billion
  const nanos = total % billion
  return negative ? { units: -units, nanos: -nanos } : { units, nanos }
}

/** Rounds to a whole number, halves upwards, as `Math.round` does. */
export function roundQuantity({ units, nanos }: Quantity): bigint {
  const doubled = 2n * (units * billion + nanos) + billion
  const divisor = 2n * billion
  const quotient = doubled / divisor
  return doubled % divisor < 0n ? quotient - 1n : quotient
}

function plainDigits(text: string): { negative: boolean; whole: string; fraction: string } {
  const negative = text.startsWith('-')
  const [mantissa = '0', exponentText = '0'] = (negative ? text.slice(1) : text).split(/[eE]/)
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const exponent = Number(exponentText)
  if (exponent === 0) return { negative, whole, fraction }
  const digits = whole + fraction
  const point = whole.length + exponent
  if (point <= 0) return { negative, whole: '0', fraction: '0'.repeat(-point) + digits }
  const padded = digits.padEnd(point, '0')
  return { negative, whole: padded.slice(0, point), fraction: padded.slice(point) }
}
