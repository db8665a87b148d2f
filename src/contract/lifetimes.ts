/** Spec section 8, in seconds. */
export const accessTokenLifetime = 172_800
export const refreshTokenLifetime = 345_600

export const inDays = (seconds: number): string => `${seconds / 86_400} days`
