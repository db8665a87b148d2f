/** Of empty pages: thousands of waiting requests hold one each. */
export const noBytes = new Uint8Array()
