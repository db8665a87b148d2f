import { formatDatetime } from '../../../lib/datetime.ts'
import type { Clock } from '../../../lib/clock.ts'

const day = 86_400

/** What the reference fills in for the app: one of its stores, and yesterday. */
export function tryExamples(clock: Clock, store_id: bigint | null): Record<string, string | number> {
  const today = Math.floor(clock.now() / day) * day
  const yesterday = formatDatetime(today - day).slice(0, 10)
  return {
    ...(store_id !== null && { store_id: toExample(store_id) }),
    start_date: `${yesterday} 00:00:00`,
    end_date: `${yesterday} 23:59:59`,
    start_day: yesterday,
    end_day: yesterday,
  }
}

/** JSON has no int64 for every reader, so an id beyond the exact numbers is a text. */
const toExample = (id: bigint): string | number =>
  Number.isSafeInteger(Number(id)) ? Number(id) : String(id)

interface Parameter {
  name?: string
  schema?: object
}

interface Operation {
  parameters?: Parameter[]
}

/** The description with these examples in the parameters of every operation. */
export function withExamples(
  description: object,
  examples: Readonly<Record<string, string | number>>,
): object {
  const copy = structuredClone(description) as { paths?: Record<string, Record<string, Operation>> }
  for (const operation of Object.values(copy.paths ?? {}).flatMap(path => Object.values(path))) {
    for (const parameter of operation.parameters ?? []) {
      const { name = '' } = parameter
      if (!Object.hasOwn(examples, name)) continue
      Object.assign(parameter, { example: examples[name] })
      parameter.schema = { ...parameter.schema, examples: [examples[name]], example: examples[name] }
    }
  }
  return copy
}
