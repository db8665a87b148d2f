/** RFC 6749 §4.1.2: a code lives ten minutes at most. */
export const codeLifetime = 600

/** How long a merchant may take over the consent page. */
export const interactionLifetime = 3600
