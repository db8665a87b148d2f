import assert from 'node:assert/strict'
import { errorOf, type World } from './world.ts'

/** The one detail of a request in which this parameter alone is bad; its message shows the value. */
export async function problemOf(world: World, path: string, query: object, field: string, value: string) {
  const answer = await world.read(path, { ...query, [field]: value })
  assert.equal(answer.status, 422, answer.text)
  const { code, message, details } = errorOf(answer)
  assert.equal(code, 'parameter_invalid')
  const [problem, ...others] = details
  assert.ok(problem && others.length === 0, answer.text)
  assert.equal(problem.field, field)
  assert.equal(message, problem.message)
  assert.ok(problem.message.includes(JSON.stringify(value)), problem.message)
  return problem
}
