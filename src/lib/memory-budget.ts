export interface Guest {
  /** True while all guests together have room. */
  take(bytes: number): boolean
  leave(): void
}

/** Memory that several share and that has an end. */
export function createRoom(most: number): { enter(): Guest } {
  let taken = 0
  return {
    enter() {
      let own = 0
      return {
        take(bytes) {
          own += bytes
          taken += bytes
          return taken <= most
        },
        leave() {
          taken -= own
          own = 0
        },
      }
    },
  }
}
