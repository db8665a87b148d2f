import { contrast, mix } from '../../lib/contrast.ts'

/** The colours of one scheme that follow the accent colour. */
export interface Scheme {
  /** Links and other text. */
  accent: string
  accentHover: string
  button: string
  buttonHover: string
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

/** The accent colour as it is where it has enough contrast, and else as little darker or lighter as needed. */
export function schemeOf(accent: string, name: keyof typeof schemes): Scheme {
  const { away, behindText, behindButton } = schemes[name]
  const shown = adapt(accent, away, colour => behindText.every(behind => contrast(colour, behind) >= text))
  const button = adapt(accent, away, colour => contrast(colour, behindButton) >= shape)
  // One of the two always has 4.5.
  const onButton = contrast(button, '#ffffff') >= text ? '#ffffff' : '#000000'
  return {
    accent: shown,
    accentHover: mix(shown, away, 0.25),
    button,
    // Away from the text, so that its contrast grows.
    buttonHover: mix(button, onButton === '#ffffff' ? '#000000' : '#ffffff', 0.15),
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
