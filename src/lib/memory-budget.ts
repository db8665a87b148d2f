export interface Reservation {
  /** Adds bytes to the reservation; false when all reservations together exceed the budget. */
  reserve(bytes: number): boolean
  /** Returns all bytes of the reservation to the budget. */
  release(): void
}

/** Counts the memory that concurrent requests hold together. */
export function createMemoryBudget(limit: number): { open(): Reservation } {
  let reserved = 0
  return {
    open() {
      let own = 0
      return {
        reserve(bytes) {
          own += bytes
          reserved += bytes
          return reserved <= limit
        },
        release() {
          reserved -= own
          own = 0
        },
      }
    },
  }
}
