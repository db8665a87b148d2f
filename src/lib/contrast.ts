/** Colours as `#rrggbb`, and their contrast as WCAG 2.2 defines it (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). */

const channels = (colour: string): number[] =>
  [1, 3, 5].map(start => Number.parseInt(colour.slice(start, start + 2), 16))

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map(channel => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1 (the same) to 21 (black and white). */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** `share` of the other colour: 0 to 1. */
export function mix(colour: string, other: string, share: number): string {
  const others = channels(other)
  const mixed = channels(colour).map((channel, i) =>
    Math.round(channel + ((others[i] ?? 0) - channel) * share),
  )
  return `#${mixed.map(channel => channel.toString(16).padStart(2, '0')).join('')}`
}
