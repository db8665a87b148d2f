import { contrast, mix } from '../../lib/contrast.ts'

/** The colours of one scheme that follow the accent colour. */
export interface Scheme {
  /** Links and other text. */
  accent: string
  accentHover: string
  /** The accent colour itself. */
  button: string
  buttonHover: string
  /** Sets a button apart from the page where its colour does not. */
  border: string
  /** Text and marks on a button. */
  onButton: '#ffffff' | '#000000'
}

// WCAG 2.2 AA: 1.4.3 for text, 1.4.11 for the shape of a button.
const text = 4.5
const shape = 3

/** The backgrounds of console.css on which a link has the least contrast, and the one that buttons are on. */
const schemes = {
  light: { away: '#000000', behindText: ['#eaeefc', '#f0f2f5'], behindButton: '#f5f6f8' },
  dark: { away: '#ffffff', behindText: ['#15312a', '#1f2a4d'], behindButton: '#171c25' },
} as const

/** Text in the accent colour is as much darker or lighter as its contrast needs; buttons keep the colour. */
export function schemeOf(accent: string, name: keyof typeof schemes): Scheme {
  const { away, behindText, behindButton } = schemes[name]
  const shown = adapt(accent, away, colour => behindText.every(behind => contrast(colour, behind) >= text))
  // One of the two always has 4.5.
  const onButton = contrast(accent, '#ffffff') >= text ? '#ffffff' : '#000000'
  return {
    accent: shown,
    accentHover: mix(shown, away, 0.25),
    button: accent,
    // Away from the text, so that its contrast grows.
    buttonHover: mix(accent, onButton === '#ffffff' ? '#000000' : '#ffffff', 0.15),
    border: adapt(accent, away, colour => contrast(colour, behindButton) >= shape),
    onButton,
  }
}

const steps = 64

function adapt(colour: string, away: string, isFine: (colour: string) => boolean): string {
  for (let step = 0; step < steps; step += 1) {
    const mixed = mix(colour, away, step / steps)
    if (isFine(mixed)) return mixed
  }
  return away
}
