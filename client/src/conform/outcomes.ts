/** The rule does not hold. */
export class Breach extends Error {}

/** The rule cannot be judged: the server has no data for it, or the app has no scope. */
export class Skipped extends Error {}
