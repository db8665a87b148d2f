import assert from 'node:assert/strict'
import type { Answer } from './answers.ts'

/** The client_credentials grant. */

interface Credentials {
  client_id: string
  client_secret: string
}

interface Server {
  post(path: string, form: Record<string, string>): Promise<Answer>
}

/** Only the two: an object with credentials may have more. */
export const clientCredentials = ({ client_id, client_secret }: Credentials) => ({
  grant_type: 'client_credentials',
  client_id,
  client_secret,
})

/** An access token that an app gets for itself. */
export async function ownToken(server: Server, client: Credentials, scope?: string): Promise<string> {
  const fields = { ...clientCredentials(client), ...(scope !== undefined && { scope }) }
  const { status, json, text } = await server.post('/auth/v2/token', fields)
  assert.equal(status, 200, `no token: ${status} ${text}`)
  return json.access_token
}
