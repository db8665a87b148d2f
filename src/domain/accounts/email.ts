/** One rule for the address that a person signs in with and the one that a store names as its merchant's: they meet. */

// RFC 5321 §4.5.3.1.3 leaves 254 characters for an address.
export const longestEmail = 254

/** The form that addresses are kept and compared in. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** One @ with something on both sides is all that can be said of an address without writing to it. */
export const isEmail = (address: string): boolean =>
  address.length <= longestEmail && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(address)
