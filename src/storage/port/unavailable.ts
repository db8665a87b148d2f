/** The database is busy, full, down or out of reach: the request may be tried again. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageUnavailable'
  }
}
