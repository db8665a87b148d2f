/** Base64 without `Buffer`, for browsers. */

export const base64 = (bytes: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))

export const base64url = (bytes: ArrayBuffer | Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), character => character.charCodeAt(0))

export const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))
