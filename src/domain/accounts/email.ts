/** One rule for the email that a person signs in with and the one that names a store's merchant: they are compared. */

// RFC 5321 §4.5.3.1.3 leaves 254 characters for an address.
export const longestEmail = 254

/** The form in which emails are stored and compared. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** One @ with text on both sides; only a message sent to the address could prove more. */
export const isEmail = (address: string): boolean =>
  address.length <= longestEmail && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(address)
