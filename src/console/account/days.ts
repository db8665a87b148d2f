/** Days of reads that the merchant's pages show; the hourly counters are kept for longer. */
export const shownDays = 30
