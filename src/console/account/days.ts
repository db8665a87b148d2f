/** Over how many days the merchant's pages tell what an app read; hours are kept for longer than that. */
export const shownDays = 30
