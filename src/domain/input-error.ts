/** A value that a person entered is refused. The message is a full sentence; `field` names the input. */
export class InputError extends Error {
  override name = 'InputError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}
