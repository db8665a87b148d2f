/** What someone typed cannot be used. The message stands on its own; `field` says which input it is about. */
export class InputError extends Error {
  override name = 'InputError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}
