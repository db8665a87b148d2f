/** A value that a person entered is refused. The message is a full sentence; `field` names the input. */
export class InputError extends Error {
  override name = 'InputError'
  readonly field: string
  /** Problems of other inputs of the same form. */
  readonly others: readonly InputError[]

  constructor(field: string, message: string, others: readonly InputError[] = []) {
    super(message)
    this.field = field
    this.others = others
  }

  /** The problem of one input. */
  at(field: string): InputError | undefined {
    return [this, ...this.others].find(problem => problem.field === field)
  }
}

/** Runs every check, so that all problems are reported at once. */
export function checkAll<Values extends object>(
  checks: {
    [Name in keyof Values]: () => Values[Name]
  },
): Values {
  const problems: InputError[] = []
  const values = Object.entries<() => unknown>(checks).map(([name, check]) => {
    try {
      return [name, check()]
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      problems.push(error)
      return [name, undefined]
    }
  })
  const [first, ...others] = problems
  if (first) throw new InputError(first.field, first.message, others)
  return Object.fromEntries(values)
}
