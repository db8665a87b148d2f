/** RFC 6749 §4.1.2: ten minutes at most. */
export const codeLifetime = 600

/** The time that a merchant has to decide on the consent page. */
export const interactionLifetime = 3600
